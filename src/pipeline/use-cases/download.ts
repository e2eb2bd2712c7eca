import type { Principal } from '../../access/principal.ts';
import { type Failure, failed, type Result, succeeded } from '../../core/errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { ExportFile, ExportFiles } from '../../results/files/export-files.ts';
import type { Call } from '../call.ts';
import { findByName, type QueryStore } from '../find-query.ts';
import { STREAM_BYTES, type UnsentBytes } from '../limits/unsent-bytes.ts';
import type { AuditDraft, AuditCall } from '../steps/audit-call.ts';
import type { AuditStream } from '../steps/audit-stream.ts';
import type { FindIssuer } from '../steps/authenticate.ts';
import { executionFailure } from '../steps/execute.ts';

/** The requested bytes of a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The first and the last byte that a caller requests; without a first one, the number of bytes from the end. */
export interface SentRange {
  readonly first: number | null;
  readonly last: number | null;
}

/** RFC 9110, 14; null if no byte of the file is in it. */
export function toByteRange({ first, last }: SentRange, size: number): ByteRange | null {
  const start = first ?? Math.max(0, size - (last ?? 0));
  const end = first === null || last === null ? size : Math.min(size, last + 1);
  return start < end ? { start, end } : null;
}

export interface DownloadHead {
  readonly file: ExportFile;
  readonly range: ByteRange | null; // null: all of it
}

export interface DownloadParts {
  readonly auditCall: AuditCall;
  readonly auditStream: AuditStream;
  readonly files: ExportFiles;
  readonly continuations: Continuations;
  readonly findIssuer: FindIssuer;
  readonly store: QueryStore;
  readonly unsent: UnsentBytes;
  readonly now: () => number;
}

export type Downloads = ReturnType<typeof createDownloads>;

/** The token is the credential: anyone with the link can download the file while its issuer may run the query. */
export function createDownloads(parts: DownloadParts) {
  const { link } = parts.files;
  return {
    head: (call: Call, token: () => Result<string>): Promise<Result<ExportFile>> =>
      parts.auditCall(call, ACTION, async (draft) => {
        const found = await findFile(parts, token, draft);
        return found.ok ? succeeded(found.value.file) : found;
      }),
    /** The address of the file in the storage; null if the file is sent by `body`. */
    redirect:
      link === null
        ? null
        : (call: Call, token: () => Result<string>): Promise<Result<string>> =>
            parts.auditCall(call, ACTION, async (draft) => {
              const found = await findFile(parts, token, draft);
              if (!found.ok) return found;
              const { file } = found.value;
              draft.rows = file.rowCount;
              draft.status = REDIRECTED;
              return succeeded(await link(file));
            }),
    /** `rangeOf` returns the part of the file that the caller requests. */
    body: (call: Call, token: () => Result<string>, rangeOf: (file: ExportFile) => ByteRange | null) =>
      parts.auditStream<DownloadHead>(call, ACTION, async (draft) => {
        const found = await findFile(parts, token, draft);
        if (!found.ok) return found;
        const { file, issuer } = found.value;
        const sendable = parts.unsent.open(call, issuer).claim(STREAM_BYTES);
        if (!sendable.ok) return sendable;
        const range = rangeOf(file);
        const body = await parts.files.read(file, range?.start ?? 0, range?.end ?? file.size);
        if (body === null) return failed(EXPIRED);
        if (range === null) draft.rows = file.rowCount;
        else draft.status = PARTIAL;
        return succeeded({ head: { file, range }, body, failureOf: executionFailure });
      }),
  };
}

const ACTION = 'export.download';
const PARTIAL = 206;
const REDIRECTED = 307;
const INVALID: Failure = { kind: 'ContinuationInvalid', of: 'download' };
const EXPIRED: Failure = { kind: 'ContinuationExpired', of: 'download' };

async function findFile(
  parts: DownloadParts,
  readToken: () => Result<string>,
  draft: AuditDraft,
): Promise<Result<{ file: ExportFile; issuer: Principal }>> {
  const token = readToken();
  if (!token.ok) return token;
  const link = parts.continuations.read(token.value, 'download');
  if (link === null) return failed(INVALID);
  if (link.expiresAt <= parts.now()) return failed(EXPIRED);
  const file = await parts.files.find(link.fileId);
  if (file === null) return failed(EXPIRED);
  draft.query = file.queryName;
  draft.queryVersion = file.queryVersion;
  draft.parameters = file.parameters;

  const issuer = await parts.findIssuer(file);
  if (issuer === null) return failed({ kind: 'QueryNotAccessible' });
  draft.principal = issuer;
  const runnable = await findByName(parts.store, issuer, file.queryName, file.forAssistant ? 'mcp' : 'rest');
  return runnable === null ? failed({ kind: 'QueryNotAccessible' }) : succeeded({ file, issuer });
}
