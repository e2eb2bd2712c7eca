import { queryClient } from '../../app/query-client.ts';
import type { Query, Row } from '../../app/wire.ts';
import type { ChartContent } from '../../chart/interactive-chart.ts';
import type { GridColumn } from '../../grid/grid-column.ts';
import { listGridColumns } from '../../grid/grid-columns.ts';

const MAX_RESULTS = 8;
const MAX_ROWS = 5;
const MAX_POINTS = 2000; // rows of a chart

/** The start of a result, or its chart, as the home page shows it again. */
export interface LastResult {
  readonly queryName: string;
  readonly receivedAt: number;
  readonly columns: readonly GridColumn[];
  readonly rows: readonly Row[]; // the first
  readonly totalRows: number | null; // null: more than were received
  readonly chart: ChartContent | null; // null: it was not drawn, or is too large to keep
}

export interface ReceivedResult {
  readonly query: Pick<Query, 'queryName' | 'resultColumns'>;
  readonly rows: readonly Row[];
  readonly totalRows: number | null;
  readonly chart?: ChartContent | null;
}

// in memory only, and cleared with everything else that was loaded when a session ends
const keyOf = (userId: string) => ['last results', userId];
queryClient.setQueryDefaults(['last results'], { gcTime: Number.POSITIVE_INFINITY });

/** The kept results of a user, the last one first. */
export const readLastResults = (userId: string): readonly LastResult[] => queryClient.getQueryData(keyOf(userId)) ?? [];

/** Replaces the kept result of the query. The oldest one is dropped if there are too many. */
export function keepResult(userId: string, { query, rows, totalRows, chart = null }: ReceivedResult): void {
  const { queryName, resultColumns } = query;
  const first = rows.slice(0, MAX_ROWS);
  const kept: LastResult = {
    queryName,
    receivedAt: Date.now(),
    columns: listGridColumns(resultColumns ?? [], first),
    rows: first,
    totalRows,
    chart: chart === null || chart.data.rows.length > MAX_POINTS ? null : chart,
  };
  const others = readLastResults(userId).filter((other) => other.queryName !== queryName);
  queryClient.setQueryData(keyOf(userId), [kept, ...others].slice(0, MAX_RESULTS));
}
