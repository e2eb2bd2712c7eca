import type { Config } from '../../config/config.ts';
import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import { labelColumns } from '../../results/columns.ts';
import { defaultMaxCellBytes } from '../../results/encode/json-rows.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { queryBound, SpaceExhaustedError } from '../../results/snapshot/stop.ts';
import type { Authorised, RunForm } from '../authorised.ts';
import { type Execute, executionFailure } from './execute.ts';

export interface ExportForm extends RunForm {
  readonly format: RowFormat;
}

/** The whole result as bytes of a format. */
export interface Encoding {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Needed if the bytes may not have been read; otherwise their end closes the rows. */
  close(): Promise<void>;
}

/** Runs the query; `draft.rows` counts its rows as they are read. */
export type Encode = (authorised: Authorised<ExportForm>) => Promise<Result<Encoding>>;

export function createEncode({ execute, config }: { execute: Execute; config: () => Config }): Encode {
  return async (authorised) => {
    const { query, form, draft } = authorised;
    const execution = await execute(authorised);
    if (!execution.ok) return execution;
    const { rows } = execution.value;
    const close = () => rows.close().catch(() => undefined); // the rows that were read stay valid
    const { definition } = query.current;
    const columns = labelColumns(rows.columns, definition.columns);
    const maxRows = definition.maxRows ?? Number.POSITIVE_INFINITY;

    async function* countRows(first: IteratorResult<RowBatch>, rest: AsyncIterator<RowBatch>): AsyncIterable<RowBatch> {
      for (let step = first; !step.done; step = await rest.next()) {
        const count = (draft.rows ?? 0) + step.value.length;
        if (count > maxRows) throw new FailureError({ kind: 'SnapshotIncomplete', reason: queryBound(maxRows) });
        await authorised.allowance.holdAll(count);
        draft.rows = count;
        yield step.value;
      }
    }
    async function* bytes(batches: AsyncIterable<RowBatch>): AsyncIterable<Uint8Array> {
      try {
        yield* form.format.encode(columns, batches, {
          title: definition.name,
          guardFormulas: config().guardFormulas,
          maxCellBytes: defaultMaxCellBytes,
        });
      } finally {
        await close();
      }
    }

    draft.rows = 0;
    try {
      // read the first batch now: a format may write before it, and a query that fails at once must get an error response
      const iterator = rows.batches()[Symbol.asyncIterator]();
      return succeeded({ bytes: bytes(countRows(await iterator.next(), iterator)), close });
    } catch (error) {
      await close();
      return failed(exportFailure(error));
    }
  };
}

export function exportFailure(cause: unknown): Failure {
  if (cause instanceof SpaceExhaustedError && cause.of === 'user') return { kind: 'ExportSpaceFull', retryAfterSeconds: 60 };
  return executionFailure(cause);
}
