import { ConnectorError } from '../connector.ts';
import type { StartedRows } from '../http-connector.ts';
import { type RunDeadline, serverGraceMs } from '../run-deadline.ts';
import { cellsOf, PageBatch } from './cells.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import { LostConnectionError } from './http-client.ts';
import { type RenderedSql, statementText } from './parameters.ts';
import { prepare } from './prepare.ts';
import type { QueryClient } from './query-client.ts';
import type { QueryPage } from './query-page.ts';

export async function startRun(
  database: Database,
  query: QueryClient,
  rendered: RenderedSql,
  deadline: RunDeadline,
): Promise<StartedRows> {
  if (!database.proven.has(rendered.sql)) await deadline.during(prepare(database, query, rendered));
  let page: QueryPage | undefined = await deadline
    .during(query.submit(statementText(rendered), database.headers(deadline.timeoutMs + serverGraceMs)))
    .catch(unavailableBeforeRun);
  while (page?.columns === undefined) {
    page = await deadline.during(query.next());
    if (page === undefined) throw new ConnectorError('failed', 'The query ended without telling its columns.');
  }
  const cells = cellsOf(page.columns);
  return {
    columns: columnsOf(page.columns),
    async next() {
      for (;;) {
        const { data } = page ?? {};
        page = undefined;
        if (data !== undefined && data.length > 0) return new PageBatch(data, cells);
        page = await deadline.during(query.next());
        if (page === undefined) return undefined;
      }
    },
  };
}

function unavailableBeforeRun(error: unknown): never {
  if (error instanceof LostConnectionError) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}
