import { queryClient } from '../../app/query-client.ts';
import type { ChartPage, Query, ResultPage, SentParameter } from '../../app/wire.ts';

interface ShownResult {
  readonly queryName: string;
  readonly parameters: string; // as sent
  readonly page: ResultPage;
}

// cleared when a session ends: the next user may not see these rows
const shown = ['shown result', 'on the screen'] as const;
const handedOver = ['shown result', 'handed over'] as const;
queryClient.setQueryDefaults(['shown result'], { gcTime: Number.POSITIVE_INFINITY, structuralSharing: false });

/** Remembers the first page of the result on the screen. */
export function keepShown(queryName: string, parameters: readonly SentParameter[], page: ResultPage): void {
  queryClient.setQueryData<ShownResult>(shown, { queryName, parameters: JSON.stringify(parameters), page });
}

/** Called when a link from the result to its chart is followed. */
export function handOverShown(queryName: string): void {
  const found = queryClient.getQueryData<ShownResult>(shown);
  queryClient.setQueryData<ShownResult | null>(handedOver, found?.queryName === queryName ? found : null);
}

/** The rows for the chart, so that the query does not run again. Null if these values, or undeclared columns, need a run. */
export function takeShown(query: Query, parameters: readonly SentParameter[]): ChartPage | null {
  const found = queryClient.getQueryData<ShownResult | null>(handedOver) ?? null;
  queryClient.removeQueries({ queryKey: handedOver });
  const columns = query.resultColumns;
  if (found === null || columns === null || columns.some(({ kind }) => kind === 'undeclared')) return null;
  if (found.queryName !== query.queryName || found.parameters !== JSON.stringify(parameters)) return null;
  return { ...found.page, Columns: columns.map(({ label, class: columnClass }) => ({ Name: label, Type: columnClass })) };
}
