import type { Config } from '../../config/config.ts';
import { FailureError, failed, type Result, succeeded } from '../../core/errors.ts';
import type { ClassifiedColumn } from '../../results/columns.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { ResultPage } from '../../results/result-page.ts';
import type { SnapshotPosition } from '../../results/snapshot-position.ts';
import type { ReadRequest, ReadResult, Snapshots } from '../../results/snapshot/snapshots.ts';
import type { Authorized, ContinueForm, QueryForm, RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import { type RanVersion, ranVersion } from '../find-query.ts';
import { claimOrThrow } from '../limits/unsent-bytes.ts';
import { measureAnswer, type PageView, type SentView, type ShownPage, showPage, viewPage } from './page-view.ts';

export type PageForm = (RunForm | ContinueForm) & PageOptions;

export interface PageOptions {
  readonly rowIndex?: number | undefined;
  readonly rowSize?: number | undefined;
  readonly view?: SentView; // for models, which need smaller pages than 16 MiB
  readonly fresh?: boolean | undefined; // run the query even if an identical call has a result to share
  readonly classified?: boolean; // the columns are needed, each with its class
  readonly keep?: boolean; // the result is read again: there is a code even if no rows remain
}

export interface Page {
  readonly ran: RanVersion;
  readonly isRunning: boolean; // there are no rows yet; `code` waits for them
  readonly rows: Buffer; // JSON objects with commas between them
  readonly ownsRows: boolean; // nothing else uses their memory
  readonly shown: ShownPage | null; // as they are sent; null: as they are
  readonly rowCount: number;
  readonly rowSize: number; // as used
  readonly nextRowIndex: number;
  readonly code: string | null;
  readonly columns: readonly ClassifiedColumn[]; // may be empty unless `classified` was requested
  /** Why the last rows of the result will be missing; null if nothing is known of that. */
  readonly incomplete: string | null;
  readonly totalRows: number | null; // null: not known yet, or this is the last page
  /** Null if results of the query are not shared, and for pages requested by code. */
  readonly cache: { readonly hit: boolean; readonly ageSeconds: number } | null;
}

export type DeliverPage = (call: Call, form: () => Result<PageForm>) => Promise<Result<Page>>;

export type TakePage = (authorized: Authorized<PageForm>) => Promise<Result<Page>>;

export interface PageParts {
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly config: () => Config;
}

/** The number of rows that a page may have. */
export const pageSizeOf = ({ config }: Pick<PageParts, 'config'>, requested: number | undefined): number =>
  Math.min(requested ?? config().rowsDefault, config().rowsMax);

interface SizeOfPage {
  readonly rowSize: number; // fewer than requested if the key has fewer rows left
  readonly requested: number;
  readonly keep?: boolean | undefined;
  readonly view: PageView;
}

export function toPage(
  parts: Pick<PageParts, 'continuations'>,
  owner: Pick<SnapshotPosition, 'userId' | 'queryId'> & {
    readonly digest: () => string; // computed only if there is another page
    readonly ran: RanVersion;
  },
  page: ResultPage,
  snapshotId: string | null,
  { rowSize, requested, keep = false, view }: SizeOfPage,
): Page {
  const { shown, kept } = showPage(view, page);
  const code = (id: string): string => {
    const { userId, queryId, digest } = owner;
    const position = { snapshotId: id, userId, queryId, digest: digest(), rowIndex: page.nextRowIndex, rowSize: requested };
    return parts.continuations.issue({ kind: 'page', ...position, ...(kept && { view: kept }) });
  };
  return {
    ran: owner.ran,
    isRunning: false,
    rows: page.rows,
    ownsRows: snapshotId === null,
    shown,
    rowCount: page.rowCount,
    rowSize,
    nextRowIndex: page.nextRowIndex,
    code: (page.hasMore || keep) && snapshotId !== null ? code(snapshotId) : null,
    columns: page.columns,
    incomplete: page.incomplete ?? null,
    totalRows: page.hasMore ? (page.totalRows ?? null) : null,
    cache: null,
  };
}

/** The response for a page that is not available yet; its code requests the same page. */
export const toRunningPage = (
  parts: Pick<PageParts, 'continuations'>,
  owner: Parameters<typeof toPage>[1],
  rowIndex: number,
  snapshotId: string,
  size: SizeOfPage,
): Page => {
  const page = { rows: Buffer.alloc(0), rowCount: 0, rowIndex, nextRowIndex: rowIndex, hasMore: true, columns: [] };
  return { ...toPage(parts, owner, page, snapshotId, size), isRunning: true };
};

export function notePage(draft: Authorized<QueryForm>['draft'], page: ResultPage, view: PageView): void {
  const answer = measureAnswer(view, page);
  if (answer !== null) draft.modelAnswer = answer;
  draft.rows = page.rowCount;
  draft.bytes = (page.shown ?? page).rows.length;
  draft.responseBytes = draft.bytes;
}

/** The page at a position; the caller may request another part of the same result. */
export function readNextPage(
  parts: PageParts,
  authorized: Authorized<PageForm>,
  position: SnapshotPosition,
): Promise<Result<Page>> {
  const { rowIndex = position.rowIndex, rowSize = position.rowSize, view } = authorized.form;
  return readSnapshotPage(parts, authorized, { ...position, rowIndex, rowSize }, viewPage(parts.config(), view, position.view));
}

/** A page of the snapshot of a continuation, whose owner the caller was found to be. */
export async function readSnapshotPage(
  parts: PageParts,
  authorized: Authorized<QueryForm>,
  position: SnapshotPosition,
  view: PageView,
): Promise<Result<Page>> {
  const { call, draft, allowance, response } = authorized;
  const requested = pageSizeOf(parts, position.rowSize);
  const held = await allowance.hold(requested);
  if (!held.ok) return held;
  const rowSize = held.value;
  const claim = (bytes: number): void => claimOrThrow(response, bytes);
  const owner = { ...position, digest: () => position.digest, ran: ranVersion(authorized) };
  const { rowIndex, snapshotId } = position;
  const patience = call.waitMs === undefined ? null : AbortSignal.timeout(call.waitMs);
  const signal = patience === null ? call.signal : AbortSignal.any([call.signal, patience]);
  const request = { rowIndex, rowSize, maxPageBytes: view.maxPageBytes, view: view.view, claim, signal };
  const found = await readSnapshot(parts.snapshots, snapshotId, request);
  if (!found.ok && found.failure.kind === 'QueryCancelled' && patience?.aborted && !call.signal.aborted)
    return succeeded(toRunningPage(parts, owner, rowIndex, snapshotId, { rowSize, requested, view }));
  if (!found.ok) return found;
  const { page, manifest } = found.value;
  draft.queryVersion = manifest.queryVersion;
  notePage(draft, page, view);
  const ran = ranVersion(authorized, manifest.queryVersion);
  return succeeded(toPage(parts, { ...owner, ran }, page, snapshotId, { rowSize, requested, view }));
}

/** Reading fails if the caller disconnects while waiting for the drain, or if the disk fails. */
export async function readSnapshot(snapshots: Snapshots, id: string, request: ReadRequest): Promise<Result<ReadPage>> {
  try {
    const read = await snapshots.read(id, request);
    switch (read.kind) {
      case 'gone':
      case 'expired':
        return failed({ kind: 'ContinuationExpired' });
      case 'given-up':
        return failed({ kind: 'ContinuationExpired', abandoned: true });
      case 'incomplete':
        return failed({ kind: 'SnapshotIncomplete', reason: read.reason });
      case 'failed':
        return failed(read.failure);
      case 'page':
        return succeeded(read);
    }
  } catch (cause) {
    if (cause instanceof FailureError) return failed(cause.failure);
    return failed({ kind: request.signal?.aborted === true ? 'QueryCancelled' : 'StoreUnavailable', cause });
  }
}

type ReadPage = Extract<ReadResult, { readonly kind: 'page' }>;
