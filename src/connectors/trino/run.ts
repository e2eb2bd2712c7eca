import type { Column } from '../../core/column.ts';
import { ValueBatch } from '../cells/text-cells.ts';
import { ConnectorError } from '../connector.ts';
import type { StartedRows } from '../network/http-connector.ts';
import { type RunDeadline, serverGraceMs } from '../runs/run-deadline.ts';
import { refusal } from '../statements/refusals.ts';
import { cellsOf, columnsOf } from './cells.ts';
import { LostConnectionError } from './http-client.ts';
import { columnsText, type RenderedSql, statementText } from './parameters.ts';
import type { QueryClient, QueryPage } from './query-client.ts';

export async function describe(query: QueryClient, rendered: RenderedSql): Promise<readonly Column[]> {
  const { columns } = await query.result(columnsText(rendered));
  if (columns === undefined) throw refusal('Only a query that returns rows can be run here.');
  return columnsOf(columns);
}

export async function startRun(query: QueryClient, rendered: RenderedSql, deadline: RunDeadline): Promise<StartedRows> {
  let page: QueryPage | undefined = await deadline
    .runWithin(query.submit(statementText(rendered), deadline.timeoutMs + serverGraceMs))
    .catch(throwUnavailable);
  while (page?.columns === undefined) {
    page = await deadline.runWithin(query.next());
    if (page === undefined) throw new ConnectorError('failed', 'The query ended without a list of its columns.');
  }
  const cells = cellsOf(page.columns);
  let first = page.data ?? []; // the page with the columns may have rows
  return {
    columns: columnsOf(page.columns),
    async next() {
      let rows = first;
      first = [];
      while (rows.length === 0) {
        const next = await deadline.runWithin(query.next());
        if (next === undefined) return undefined;
        rows = next.data ?? [];
      }
      return new ValueBatch(rows, cells);
    },
  };
}

function throwUnavailable(error: unknown): never {
  if (error instanceof LostConnectionError) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}
