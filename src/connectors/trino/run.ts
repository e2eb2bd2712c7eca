import type { Column } from '../../core/column.ts';
import { ConnectorError } from '../connector.ts';
import type { StartedRows } from '../http-connector.ts';
import { type RunDeadline, serverGraceMs } from '../run-deadline.ts';
import { ValueBatch } from '../text-cells.ts';
import { cellsOf, columnsOf } from './cells.ts';
import { LostConnectionError } from './http-client.ts';
import { columnsText, type RenderedSql, statementText } from './parameters.ts';
import type { QueryClient } from './query-client.ts';
import type { QueryPage, TrinoColumn } from './query-page.ts';
import { ResultRows } from './result-rows.ts';
import { UnreachableSegmentError } from './segment-client.ts';

export async function describe(query: QueryClient, rendered: RenderedSql): Promise<readonly Column[]> {
  const { columns } = await query.result(columnsText(rendered));
  if (columns === undefined) throw new ConnectorError('invalid', 'Only a query that returns rows can be run here.');
  return columnsOf(columns);
}

export async function startRun(query: QueryClient, rendered: RenderedSql, deadline: RunDeadline): Promise<StartedRows> {
  async function submit(isSpooled: boolean): Promise<{ columns: readonly TrinoColumn[]; rows: ResultRows }> {
    const timeoutMs = deadline.timeoutMs + serverGraceMs;
    let page: QueryPage | undefined = await deadline
      .during(query.submit(statementText(rendered), timeoutMs, isSpooled))
      .catch(unavailableBeforeRun);
    while (page?.columns === undefined) {
      page = await deadline.during(query.next());
      if (page === undefined) throw new ConnectorError('failed', 'The query ended without telling its columns.');
    }
    return { columns: page.columns, rows: new ResultRows(query, page, page.columns.length) };
  }

  const started = await submit(query.segments.isUsable);
  const cells = cellsOf(started.columns);
  let { rows } = started;

  /** Reads the result in pages if its segments cannot be loaded: a query only reads, so it can run again. */
  async function nextRows() {
    try {
      return await deadline.during(rows.next());
    } catch (error) {
      if (!(error instanceof UnreachableSegmentError)) throw error;
      query.segments.pause(error.message);
      if (rows.count > 0) throw error;
      const stopped = rows.stop();
      await deadline.during(query.end().then(() => stopped));
      ({ rows } = await submit(false));
      return deadline.during(rows.next());
    }
  }

  return {
    columns: columnsOf(started.columns),
    async next() {
      const batch = await nextRows();
      return batch === undefined ? undefined : new ValueBatch(batch, cells);
    },
  };
}

function unavailableBeforeRun(error: unknown): never {
  if (error instanceof LostConnectionError) throw new ConnectorError('unavailable', error.message, { cause: error });
  throw error;
}
