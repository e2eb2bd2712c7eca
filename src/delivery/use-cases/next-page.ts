import type { Principal } from '../../access/principal.ts';
import type { Config } from '../../config/config.ts';
import { type Failure, failed, type Result, succeeded } from '../../errors.ts';
import type { Continuations, SnapshotPosition } from '../../results/continuation.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import { findReferenced, findRunnableById, type QueryReference } from '../deliver.ts';
import type { AuditDraft } from '../steps/audited.ts';
import type { Identified } from '../steps/identified.ts';
import type { RowQuota } from '../steps/row-quota.ts';
import { type DeliverPage, type Page, type PageForm, readPage } from './page.ts';

/** The query and its values are those that the code was issued for. */
export interface CodeForm {
  readonly code: string;
  readonly query?: QueryReference; // if sent, it must be that of the code
  readonly rowIndex?: number | undefined; // default: the next page
  readonly rowSize?: number | undefined; // default: that of the code
  readonly maxPageBytes: number;
}

/** A chunk of a stream is a page with an index. */
export interface Chunk {
  readonly page: Page; // `code` is the token of the next chunk
  readonly chunkIndex: number;
}

export interface ContinueParts {
  readonly identified: Identified;
  readonly rowQuota: RowQuota;
  readonly store: Pick<MetadataStore, 'queries' | 'databases'>;
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly config: () => Config;
}

export type Continue = ReturnType<typeof createContinue>;

export function createContinue(parts: ContinueParts) {
  return {
    nextPage: (call: Call, readForm: () => Result<CodeForm>): Promise<Result<Page>> =>
      parts.identified(call, 'query.next-page', readForm, async (principal, form, draft) => {
        const position = parts.continuations.read(form.code, 'page');
        if (position === null) return failed({ kind: 'ContinuationInvalid' });
        return readOn(parts, { call, principal, draft }, position, form);
      }),
    nextChunk: (call: Call, readForm: () => Result<CodeForm>): Promise<Result<Chunk>> =>
      parts.identified(call, 'query.next-chunk', readForm, async (principal, form, draft) => {
        const position = parts.continuations.read(form.code, 'stream');
        if (position === null) return failed({ kind: 'ContinuationInvalid', of: 'stream' });
        const page = await readOn(parts, { call, principal, draft }, position, form);
        if (page.ok) return succeeded(chunkOf(parts.continuations, page.value, position.chunkIndex));
        return page.failure.kind === 'ContinuationExpired' ? failed({ ...page.failure, of: 'stream' }) : page;
      }),
  };
}

export type StartStream = (call: Call, form: () => Result<PageForm>) => Promise<Result<Chunk>>;

/** The first chunk is a first page: it is sent as soon as its rows arrive, while the rest drains into a snapshot. */
export function createStartStream(deliverPage: DeliverPage, continuations: Continuations): StartStream {
  return async (call, form) => {
    const page = await deliverPage(call, form);
    return page.ok ? succeeded(chunkOf(continuations, page.value, 0)) : page;
  };
}

/** The same position in the same snapshot, with a token that is valid for streams only. */
function chunkOf(continuations: Continuations, page: Page, chunkIndex: number): Chunk {
  const position = page.code === null ? null : continuations.read(page.code, 'page');
  const code = position === null ? null : continuations.issue({ ...position, kind: 'stream', chunkIndex: chunkIndex + 1 });
  return { page: { ...page, code }, chunkIndex };
}

/** Checks every right again: a right that was revoked since the previous page also ends access to the snapshot. */
async function readOn(
  parts: ContinueParts,
  { call, principal, draft }: { call: Call; principal: Principal; draft: AuditDraft },
  position: SnapshotPosition,
  form: CodeForm,
): Promise<Result<Page>> {
  // the audit entry names the query, the response does not
  const refused = async (failure: Failure): Promise<Result<Page>> => {
    draft.query = (await parts.store.queries.get(position.queryId))?.queryName ?? null;
    return failed(failure);
  };
  if (position.userId !== principal.userId) return refused({ kind: 'ContinuationForeign' });
  const found = await findRunnableById(parts.store, principal, position.queryId, call.channel);
  if (found === null) return refused({ kind: 'QueryNotAccessible' });
  draft.query = found.query.queryName;
  if (form.query !== undefined) {
    const named = await findReferenced(parts.store, principal, form.query, call.channel);
    if (!named.ok) return named;
    if (named.value.query.id !== position.queryId) return failed({ kind: 'ContinuationInvalid' });
  }
  const quota = await parts.rowQuota.open(principal);
  if (!quota.ok) return quota;
  const allowance = quota.value;
  const { rowIndex = position.rowIndex, rowSize = position.rowSize, maxPageBytes } = form;
  let rows: number | null = null;
  try {
    const page = await readPage(parts, { call, draft, allowance }, position, { rowIndex, rowSize, maxPageBytes });
    if (page.ok) rows = draft.rows;
    return page;
  } finally {
    allowance.settle(rows);
  }
}
