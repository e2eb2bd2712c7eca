import type { Config } from '../../config/config.ts';
import type { Result } from '../../core/errors.ts';
import type { ClassifiedColumn } from '../../results/classified-column.ts';
import type { Continuations, SnapshotPosition } from '../../results/continuation.ts';
import type { ResultPage } from '../../results/result-page.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import type { Authorised, ContinueForm, QueryForm, RunForm } from '../authorised.ts';
import type { Call } from '../call.ts';

export type PageForm = (RunForm | ContinueForm) & PageOptions;

export interface PageOptions {
  readonly rowIndex?: number;
  readonly rowSize?: number;
  readonly maxPageBytes?: number; // if a door needs smaller pages than 16 MiB
  readonly fresh?: boolean; // run the query even if an identical call has a result to share
  readonly classified?: boolean; // the columns are needed, each with its class
}

export interface Page {
  readonly rows: Buffer; // JSON objects with commas between them
  readonly ownsRows: boolean; // nothing else uses their memory
  readonly rowSize: number; // as used
  readonly nextRowIndex: number;
  readonly code: string | null;
  readonly columns: readonly ClassifiedColumn[]; // may be empty unless `classified` was requested
  /** Why the last rows of the result will be missing; null if nothing is known of that. */
  readonly incomplete: string | null;
  /** Null if results of the query are not shared, and for pages requested by code. */
  readonly cache: { readonly hit: boolean; readonly ageSeconds: number } | null;
}

export type DeliverPage = (call: Call, form: () => Result<PageForm>) => Promise<Result<Page>>;

export type TakePage = (authorised: Authorised<PageForm>) => Promise<Result<Page>>;

export interface PageParts {
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly config: () => Config;
}

export const MAX_PAGE_BYTES = 16 << 20;

/** The number of rows that a page may have. */
export const pageSizeOf = ({ config }: Pick<PageParts, 'config'>, requested: number | undefined): number =>
  Math.min(requested ?? config().rowsDefault, config().rowsMax);

export function toPage(
  parts: Pick<PageParts, 'continuations'>,
  owner: Pick<SnapshotPosition, 'userId' | 'queryId'> & { readonly digest: () => string }, // computed only if there is another page
  page: ResultPage,
  snapshotId: string | null,
  { rowSize, requested }: { readonly rowSize: number; readonly requested: number }, // fewer than requested if the key has fewer rows left
): Page {
  const code = (id: string): string => {
    const { userId, queryId, digest } = owner;
    const position = { snapshotId: id, userId, queryId, digest: digest(), rowIndex: page.nextRowIndex, rowSize: requested };
    return parts.continuations.issue({ kind: 'page', ...position });
  };
  return {
    rows: page.rows,
    ownsRows: snapshotId === null,
    rowSize,
    nextRowIndex: page.nextRowIndex,
    code: page.hasMore && snapshotId !== null ? code(snapshotId) : null,
    columns: page.columns,
    incomplete: page.incomplete ?? null,
    cache: null,
  };
}

export function notePage(draft: Authorised<QueryForm>['draft'], page: ResultPage): void {
  draft.rows = page.rowCount;
  draft.bytes = page.rows.length;
  draft.responseBytes = page.rows.length;
}
