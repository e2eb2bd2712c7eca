import type { Column } from '../../core/column.ts';
import { ConnectorError } from '../connector.ts';
import type { StartedRows } from '../network/http-connector.ts';
import { type RunDeadline, serverGraceMs } from '../runs/run-deadline.ts';
import { cellsOf, columnsOf } from './cells.ts';
import { JsonBatch } from './json-batch.ts';
import type { RenderedSql } from './parameters.ts';
import type { Requests } from './request.ts';
import { ResultReader } from './result-reader.ts';

export async function describe(requests: Requests, { sql, values }: RenderedSql): Promise<readonly Column[]> {
  const rows = await requests.rows(`DESCRIBE TABLE (\n${sql}\n)`, values);
  return columnsOf(rows.map(([name = '', type = '']) => ({ name, type })));
}

/** The columns are known when the server has its first rows. */
export async function startRun(requests: Requests, { sql, values }: RenderedSql, deadline: RunDeadline): Promise<StartedRows> {
  const { timeZone } = await deadline.runWithin(requests.facts());
  const { compression } = requests;
  const text = `\n${sql}\nFORMAT JSONCompact`;
  const stream = await deadline
    .runWithin(requests.send(text, deadline.timeoutMs + serverGraceMs, values, compression.encodingsFor(sql)))
    .catch(throwUnavailable);
  const reader = new ResultReader(stream);
  await deadline.runWithin(reader.start());
  const cells = cellsOf(reader.columns, timeZone);
  return {
    columns: columnsOf(reader.columns),
    async next() {
      const rows = await deadline.runWithin(reader.next());
      if (rows !== undefined) return new JsonBatch(rows, cells);
      compression.note(sql, reader.length);
      requests.markEnded();
      return undefined;
    },
  };
}

/** The connection failed before the query was sent. */
function throwUnavailable(error: unknown): never {
  const refused = error instanceof Error && 'code' in error && unreachable.has(String(error.code));
  if (refused) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}

const unreachable = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EAI_AGAIN']);
