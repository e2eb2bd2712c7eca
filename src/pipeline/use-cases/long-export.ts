import { accountOf } from '../../core/account-of.ts';
import { type Result, succeeded, failed } from '../../core/errors.ts';
import { digestOf } from '../../results/continuation.ts';
import { exportIdOf } from '../../results/files/export-files.ts';
import type { SnapshotPosition } from '../../results/snapshot-position.ts';
import type { PendingResult } from '../../results/snapshot/pending-result.ts';
import type { Authorized, ContinueForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import { ranVersion } from '../find-query.ts';
import type { RowQuota } from '../limits/row-quota.ts';
import { type ExportedFile, type ExportFileForm, type ExportFileParts, toExportedFile, writeExport } from './export.ts';
import { type LongRunParts, ownerOf, startLongRun } from './long-run.ts';
import { readSnapshot } from './page.ts';

/** A file, or a code that waits for it. */
export type LongExport = { readonly file: ExportedFile; readonly code: null } | { readonly file: null; readonly code: string };

export type LongExportForm = ExportFileForm | ContinueForm;

export type DeliverLongExport = (call: Call, form: () => Result<LongExportForm>) => Promise<Result<LongExport>>;

export interface LongExportParts extends ExportFileParts, Omit<LongRunParts, 'config'> {
  readonly rowQuota: RowQuota;
  readonly now: () => number;
}

/** Like an export to a file, but a call that takes long gets a code, as for a page that is not there yet. */
export const createDeliverLongExport =
  (parts: LongExportParts): DeliverLongExport =>
  (call, form) =>
    parts.deliver({ call, action: 'query.export', form }, (authorized) => {
      const { form: sent, position } = authorized;
      if ('continue' in sent)
        return position === null
          ? Promise.resolve(failed({ kind: 'ContinuationInvalid', of: 'export' }))
          : awaitFile(parts, authorized, position, sent.continue);
      return startExport(parts, { ...authorized, form: sent });
    });

function startExport(parts: LongExportParts, authorized: Authorized<ExportFileForm>): Promise<Result<LongExport>> {
  const write = async (detached: Authorized<ExportFileForm>, pending: PendingResult): Promise<Result<LongExport>> => {
    const acquired = await parts.rowQuota.acquire(detached.principal); // that of the call ends with its response
    if (!acquired.ok) return acquired;
    using allowance = acquired.value;
    const file = await writeExport(parts, { ...detached, allowance, id: pending.id }, fileNameOf(pending.id));
    if (!file.ok) return file;
    if (await pending.settle()) await completeEmpty(parts, detached, pending);
    return succeeded({ file: file.value, code: null });
  };
  const codeFor = ({ principal, query, values }: Authorized<ExportFileForm>, snapshotId: string): LongExport => {
    const position = { snapshotId, userId: principal.userId, queryId: query.id, digest: digestOf(query.id, values) };
    return { file: null, code: parts.continuations.issue({ kind: 'export', ...position, rowIndex: 0, rowSize: 1 }) };
  };
  return startLongRun(parts, authorized, write, codeFor).awaitResult();
}

/** The file has the name of an empty snapshot, whose end its readers wait for. */
const fileNameOf = (snapshotId: string): string => snapshotId.slice(0, 16);

async function completeEmpty(
  { now }: LongExportParts,
  authorized: Authorized<ExportFileForm>,
  pending: PendingResult,
): Promise<void> {
  const writer = await pending.open();
  await writer.writeManifest({ format: 1, id: pending.id, ...ownerOf(authorized), columns: [], createdAt: now() });
  await writer.end({ state: 'complete', rows: 0, reason: null });
}

async function awaitFile(
  { snapshots, files, continuations, now }: LongExportParts,
  authorized: Authorized<LongExportForm>,
  { snapshotId, userId }: SnapshotPosition,
  code: string,
): Promise<Result<LongExport>> {
  const { call, draft, allowance } = authorized;
  const patience = AbortSignal.timeout(call.waitMs ?? MOST_WAIT_MS);
  const signal = AbortSignal.any([call.signal, patience]);
  const ended = await readSnapshot(snapshots, snapshotId, { rowIndex: 0, rowSize: 1, maxPageBytes: 1, signal });
  if (!ended.ok && ended.failure.kind === 'QueryCancelled' && patience.aborted && !call.signal.aborted)
    return succeeded({ file: null, code });
  if (!ended.ok) return ended.failure.kind === 'ContinuationExpired' ? failed({ ...ended.failure, of: 'export' }) : ended;
  const file = await files.find(exportIdOf(accountOf(userId), fileNameOf(snapshotId)));
  if (file === null || file.expiresAt <= now()) return failed({ kind: 'ContinuationExpired', of: 'export' });
  await allowance.holdAll(file.rowCount);
  Object.assign(draft, { rows: file.rowCount, bytes: file.size, queryVersion: file.queryVersion });
  return succeeded({ file: toExportedFile(continuations, file, ranVersion(authorized, file.queryVersion)), code: null });
}

const MOST_WAIT_MS = 60_000;
