import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { SnapshotPosition } from '../../results/continuation.ts';
import type { PageRequest } from '../../results/result-page.ts';
import type { ReadRequest, ReadResult, Snapshots } from '../../results/snapshot/snapshots.ts';
import type { Authorised, QueryForm } from '../authorised.ts';
import { claimOrThrow, UnsentBytesError } from '../limits/unsent-bytes.ts';
import { MAX_PAGE_BYTES, notePage, type Page, type PageForm, type PageParts, pageSizeOf, toPage } from './page.ts';

/** The page at a position; the caller may request another part of the same result. */
export function readNextPage(
  parts: PageParts,
  authorised: Authorised<PageForm>,
  position: SnapshotPosition,
): Promise<Result<Page>> {
  const { rowIndex = position.rowIndex, rowSize = position.rowSize, maxPageBytes = MAX_PAGE_BYTES } = authorised.form;
  return readSnapshotPage(parts, authorised, position, { rowIndex, rowSize, maxPageBytes });
}

/** A page of the snapshot of a continuation, whose owner the caller was found to be. */
export async function readSnapshotPage(
  parts: PageParts,
  { call, draft, allowance, response }: Pick<Authorised<QueryForm>, 'call' | 'draft' | 'allowance' | 'response'>,
  position: SnapshotPosition,
  request: PageRequest,
): Promise<Result<Page>> {
  const requested = pageSizeOf(parts, request.rowSize);
  const held = await allowance.hold(requested);
  if (!held.ok) return held;
  const rowSize = held.value;
  const claim = (bytes: number): void => claimOrThrow(response, bytes);
  const found = await readSnapshot(parts.snapshots, position.snapshotId, { ...request, rowSize, claim, signal: call.signal });
  if (!found.ok) return found;
  const read = found.value;
  switch (read.kind) {
    case 'gone':
    case 'expired':
      return failed({ kind: 'ContinuationExpired' });
    case 'given-up':
      return failed({ kind: 'ContinuationExpired', abandoned: true });
    case 'incomplete':
      return failed({ kind: 'SnapshotIncomplete', reason: read.reason });
    case 'page':
      draft.queryVersion = read.manifest.queryVersion;
      notePage(draft, read.page);
      return succeeded(
        toPage(parts, { ...position, digest: () => position.digest }, read.page, position.snapshotId, { rowSize, requested }),
      );
  }
}

/** Reading fails if the caller disconnects while waiting for the drain, or if the disk fails. */
async function readSnapshot(snapshots: Snapshots, id: string, request: ReadRequest): Promise<Result<ReadResult>> {
  try {
    return succeeded(await snapshots.read(id, request));
  } catch (cause) {
    if (cause instanceof UnsentBytesError) return failed(cause.failure);
    return failed({ kind: request.signal?.aborted === true ? 'QueryCancelled' : 'StoreUnavailable', cause });
  }
}
