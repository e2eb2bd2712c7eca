import { classifyColumns } from '../../charts/classify.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { digestOf, rowsDigestOf } from '../../results/continuation.ts';
import { labelColumns } from '../../results/labels.ts';
import type { SharedMark } from '../../results/storage/snapshot-storage.ts';
import type { Authorised } from '../authorised.ts';
import { claimOrThrow } from '../limits/unsent-bytes.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';
import { createShareResult, type Sharing, sharingOf } from '../steps/share-result.ts';
import { readSnapshotPage } from './next-page.ts';
import { MAX_PAGE_BYTES, notePage, type Page, type PageForm, type PageParts, pageSizeOf, type TakePage, toPage } from './page.ts';

export interface FirstPageParts extends PageParts {
  readonly execute: Execute;
  readonly now: () => number;
  /** Names of shared results are file names: values must not be recognisable without the secret. */
  readonly nameShared: (digest: string) => string;
  /** For the log: a result failed after its first page was sent, so no caller saw the error. */
  readonly onDrainFailed: (requestId: string, queryName: string, error: unknown) => void;
}

/** Runs the query, or uses the result of an identical call. */
export function createFirstPage(parts: FirstPageParts): TakePage {
  const share = createShareResult(parts.snapshots);
  return async (authorised) => {
    const { form, query, values, call } = authorised;
    const sharing = sharingOf(authorised, () => parts.nameShared(rowsDigestOf(query.id, values)));
    if (sharing === null) return runQuery(parts, authorised, null);
    return share({
      sharing,
      fresh: form.fresh === true,
      signal: call.signal,
      find: (mark) => readShared(parts, authorised, mark),
      run: () => runQuery(parts, authorised, sharing),
    });
  };
}

/** Issues a code for this caller. Null if the snapshot is gone or incomplete. */
async function readShared(
  parts: FirstPageParts,
  authorised: Authorised<PageForm>,
  mark: SharedMark,
): Promise<Result<Page> | null> {
  const { form, query, values, principal, draft } = authorised;
  const requested = {
    rowIndex: form.rowIndex ?? 0,
    rowSize: pageSizeOf(parts, form.rowSize),
    maxPageBytes: form.maxPageBytes ?? MAX_PAGE_BYTES,
  };
  const owner = { userId: principal.userId, queryId: query.id, digest: digestOf(query.id, values) };
  const page = await readSnapshotPage(parts, authorised, { ...owner, ...requested, snapshotId: mark.id }, requested);
  if (!page.ok) return page.failure.kind === 'QueryCancelled' ? page : null;
  draft.cached = true;
  const ageSeconds = Math.max(0, Math.floor((parts.now() - mark.at) / 1000));
  return succeeded({ ...page.value, cache: { hit: true, ageSeconds } });
}

async function runQuery(parts: FirstPageParts, authorised: Authorised<PageForm>, sharing: Sharing | null): Promise<Result<Page>> {
  const { form, query, principal, values, draft, allowance } = authorised;
  const startedAt = parts.now();
  const requested = pageSizeOf(parts, form.rowSize);
  const held = await allowance.hold(requested);
  if (!held.ok) return held;
  const rowSize = held.value;
  let isFirstPageSent = false;
  const execution = await parts.execute(authorised);
  if (!execution.ok) return execution;
  const { definition, version } = query.current;
  try {
    const columns = labelColumns(execution.value.rows.columns, definition.columns);
    const owner = {
      userId: principal.userId,
      queryId: query.id,
      queryName: query.queryName,
      queryVersion: version,
    };
    const first = await parts.snapshots.take(execution.value.rows, {
      claim: (bytes) => claimOrThrow(authorised.response, bytes),
      owner,
      source: authorised.database.id,
      signal: execution.value.signal,
      mayPause: execution.value.mayPause,
      columns,
      classified: form.classified === true,
      classify: (seen) => classifyColumns(columns, definition.columns, seen),
      rowIndex: form.rowIndex ?? 0,
      rowSize,
      maxPageBytes: form.maxPageBytes ?? MAX_PAGE_BYTES,
      ...(definition.maxRows === undefined ? {} : { maxRows: definition.maxRows }),
      ...(sharing === null ? {} : { keepUntil: startedAt + sharing.maxAgeMs }),
      wholeBeforeFirstPage: definition.epilogue !== undefined,
      onEnd: (outcome) => {
        if (isFirstPageSent && outcome.state === 'failed')
          parts.onDrainFailed(authorised.call.requestId, query.queryName, outcome.error);
      },
    });
    isFirstPageSent = true;
    execution.value.continueInBackground();
    if (first.kind === 'incomplete') return failed({ kind: 'SnapshotIncomplete', reason: first.reason });
    notePage(draft, first.page);
    const page = toPage(parts, { ...owner, digest: () => digestOf(query.id, values) }, first.page, first.snapshotId, {
      rowSize,
      requested,
    });
    if (sharing === null) return succeeded(page);
    // if it cannot be shared, the next call runs the query again
    if (first.snapshotId !== null) await parts.snapshots.share(sharing.key, first.snapshotId, startedAt).catch(() => undefined);
    return succeeded({ ...page, cache: { hit: false, ageSeconds: 0 } });
  } catch (error) {
    await execution.value.rows.close().catch(() => undefined); // releases the slot
    return failed(executionFailure(error));
  }
}
