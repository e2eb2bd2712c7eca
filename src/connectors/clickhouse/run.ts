import { ConnectorError } from '../connector.ts';
import type { StartedRows } from '../http-connector.ts';
import { type RunDeadline, serverGraceMs } from '../run-deadline.ts';
import { TextBatch } from '../text-cells.ts';
import { cellsOf } from './cells.ts';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';
import type { RenderedSql } from './parameters.ts';
import { prepare } from './prepare.ts';
import type { Requests } from './request.ts';
import { ResultReader } from './result-reader.ts';

/** The columns are known when the server has its first rows. */
export async function startRun(
  database: Database,
  requests: Requests,
  rendered: RenderedSql,
  deadline: RunDeadline,
): Promise<StartedRows> {
  const { sql, values } = rendered;
  const { timeZone, settingsFor } = await deadline.during(database.facts());
  if (!database.proven.has(sql)) await deadline.during(prepare(database, requests, rendered));
  const settings = settingsFor(deadline.timeoutMs + serverGraceMs);
  const stream = await deadline
    .during(requests.send(`\n${sql}\nFORMAT JSONCompact`, { settings, values }))
    .catch(unavailableBeforeRun);
  const reader = new ResultReader(stream);
  await deadline.during(reader.start());
  const cells = cellsOf(reader.columns, timeZone);
  return {
    columns: columnsOf(reader.columns),
    async next() {
      const rows = await deadline.during(reader.next());
      if (rows !== undefined) return new TextBatch(rows, cells);
      requests.ended();
      return undefined;
    },
  };
}

/** The connection failed before the query was sent. */
function unavailableBeforeRun(error: unknown): never {
  const refused = error instanceof Error && 'code' in error && unreachable.has(String(error.code));
  if (refused) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EAI_AGAIN']);
