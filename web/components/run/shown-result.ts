import type { ChartPage, Query, ResultPage, SentParameter } from '../../app/wire.ts';

interface ShownResult {
  readonly queryName: string;
  readonly parameters: string; // as sent
  readonly page: ResultPage;
}

let shown: ShownResult | null = null;
let handedOver: ShownResult | null = null;

/** Remembers the first page of the result on the screen. */
export function keepShown(queryName: string, parameters: readonly SentParameter[], page: ResultPage): void {
  shown = { queryName, parameters: JSON.stringify(parameters), page };
}

/** Called when a link from the result to its chart is followed. */
export function handOverShown(queryName: string): void {
  handedOver = shown?.queryName === queryName ? shown : null;
}

/** The rows for the chart, so that the query does not run again. Null if these values, or undeclared columns, need a run. */
export function takeShown(query: Query, parameters: readonly SentParameter[]): ChartPage | null {
  const found = handedOver;
  handedOver = null;
  const columns = query.resultColumns;
  if (found === null || columns === null || columns.some(({ kind }) => kind === 'undeclared')) return null;
  if (found.queryName !== query.queryName || found.parameters !== JSON.stringify(parameters)) return null;
  return { ...found.page, Columns: columns.map(({ label, class: columnClass }) => ({ Name: label, Type: columnClass })) };
}
