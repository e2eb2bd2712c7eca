import { viewerBehind } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { accountOf } from '../../core/account-of.ts';
import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import { labelColumns } from '../../results/columns.ts';
import type { Continuations } from '../../results/continuation.ts';
import { defaultMaxCellBytes } from '../../results/encode/json-rows.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import { fileNameOf } from '../../results/file-name.ts';
import type { ExportFile, ExportFiles } from '../../results/files/export-files.ts';
import type { Spool } from '../../results/files/spool.ts';
import type { RowBatch } from '../../results/row-stream.ts';
import { queryBound, SpaceExhaustedError } from '../../results/snapshot/stop.ts';
import type { Authorized, RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver, DeliverStream } from '../deliver.ts';
import { type RanVersion, ranVersion } from '../find-query.ts';
import type { Streamed } from '../steps/audit-stream.ts';
import { type Execute, type Executed, executionFailure } from '../steps/execute.ts';

export type DeliverExport = (
  call: Call,
  form: () => Result<ExportFileForm>,
) => Promise<Result<Streamed<{ format: RowFormat; fileName: string; ran: RanVersion }>>>;

/** Streams the whole result. If the body throws, the connection must be cut: a truncated file must not look complete. */
export function createDeliverExport(deliverStream: DeliverStream, encode: Encode, spool: Spool): DeliverExport {
  return (call, form) =>
    deliverStream({ call, action: 'query.export', form }, async (authorized) => {
      const encoding = await encode(authorized);
      if (!encoding.ok) return encoding;
      const { format } = authorized.form;
      const { name, epilogue } = authorized.query.current.definition;
      return succeeded({
        head: { format, fileName: fileNameOf(authorized.form.fileName ?? name, format.name), ran: ranVersion(authorized) },
        // rows of a query with an Epilogue may be sent only after it has committed
        body: spool(accountOf(authorized.principal.userId), encoding.value.bytes, { wholeFirst: epilogue !== undefined }),
        failureOf: exportFailure,
      });
    });
}

export interface ExportFileForm extends ExportForm {
  readonly fileName?: string; // default: the name of the query
}

/** A complete file, and the token to download it. */
export interface ExportedFile extends Pick<ExportFile, 'format' | 'fileName' | 'mimeType' | 'size' | 'rowCount' | 'expiresAt'> {
  readonly token: string;
  readonly ran: RanVersion;
}

export type DeliverExportFile = (call: Call, form: () => Result<ExportFileForm>) => Promise<Result<ExportedFile>>;

export interface ExportFileParts {
  readonly deliver: Deliver;
  readonly encode: Encode;
  readonly files: ExportFiles;
  readonly continuations: Continuations;
}

/** Writes the whole result to a file and issues a link to it; if anything fails, there is neither. */
export const createDeliverExportFile =
  (parts: ExportFileParts): DeliverExportFile =>
  (call, form) =>
    parts.deliver({ call, action: 'query.export', form }, (authorized) => writeExport(parts, authorized));

/** `name`: of the file, see `exportIdOf`. */
export async function writeExport(
  { encode, files, continuations }: Omit<ExportFileParts, 'deliver'>,
  authorized: Parameters<Encode>[0] & Authorized<ExportFileForm>,
  name?: string,
): Promise<Result<ExportedFile>> {
  const encoding = await encode(authorized);
  if (!encoding.ok) return encoding;
  const { call, form, principal, query, draft } = authorized;
  const { userId, authentication } = principal;
  const viewer = viewerBehind(principal);
  try {
    const about = () => ({
      userId,
      keyId: authentication.kind === 'key' ? authentication.keyId : null,
      ...(authentication.kind === 'grant' ? { grantId: authentication.grantId } : {}),
      ...(viewer === null ? {} : { viewer: { sub: viewer.sub, queries: viewer.queries, expiresAt: viewer.expiresAt } }),
      forAssistant: call.channel === 'mcp',
      queryName: query.queryName,
      queryVersion: query.current.version,
      parameters: draft.parameters,
      format: form.format.name,
      fileName: fileNameOf(form.fileName ?? query.current.definition.name, form.format.name),
      mimeType: form.format.mimeType,
      rowCount: draft.rows ?? 0,
    });
    const file = await files.write(accountOf(userId), encoding.value.bytes, about, { name });
    draft.bytes = file.size;
    return succeeded(toExportedFile(continuations, file, ranVersion(authorized)));
  } catch (error) {
    return failed(exportFailure(error));
  } finally {
    await encoding.value.close();
  }
}

/** A file with its token. */
export function toExportedFile(continuations: Continuations, file: ExportFile, ran: RanVersion): ExportedFile {
  const { id: fileId, userId, format, fileName, mimeType, size, rowCount, expiresAt } = file;
  const token = continuations.issue({ kind: 'download', fileId, userId, expiresAt });
  return { format, fileName, mimeType, size, rowCount, expiresAt, token, ran };
}

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
export type Encode = (authorized: Authorized<ExportForm> & Pick<Executed, 'id'>) => Promise<Result<Encoding>>;

export function createEncode({ execute, config }: { execute: Execute; config: () => Config }): Encode {
  return async (authorized) => {
    const { query, form, draft } = authorized;
    const execution = await execute(authorized);
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
        await authorized.allowance.holdAll(count);
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
