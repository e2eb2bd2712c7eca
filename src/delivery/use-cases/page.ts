import type { ParameterDefinition, Query } from '../../catalog/query.ts';
import { classifyColumns } from '../../charts/classify.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { ClassifiedColumn } from '../../results/classified-column.ts';
import { type Continuations, digestOf, rowsDigestOf, type SnapshotPosition } from '../../results/continuation.ts';
import { labelColumns } from '../../results/labels.ts';
import type { PageRequest, ResultPage } from '../../results/result-page.ts';
import type { ReadResult, ReadRequest, Snapshots } from '../../results/snapshot/snapshots.ts';
import type { SharedMark } from '../../results/storage/snapshot-storage.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import type { Authorised, Deliver, DeliveryRequest, QueryForm } from '../deliver.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';
import { createShared, type Shared, type Sharing, sharingOf } from '../steps/shared.ts';
import { claimOrThrow, UnsentBytesError } from '../unsent-bytes.ts';

export interface PageForm extends QueryForm {
  readonly rowIndex?: number;
  readonly rowSize?: number;
  readonly code?: string; // QueryMoreCode
  readonly codeAlone?: true; // no parameters were sent: those of the code apply
  readonly maxPageBytes?: number; // if a door needs smaller pages than 16 MiB
  readonly fresh?: boolean; // run the query even if an identical call has a result to share
}

export interface Page {
  readonly rows: Buffer; // JSON objects with commas between them
  readonly ownsRows: boolean; // nothing else uses their memory
  readonly rowSize: number; // as used
  readonly nextRowIndex: number;
  readonly code: string | null;
  readonly columns: readonly ClassifiedColumn[];
  /** Why the last rows of the result will be missing; null if nothing is known of that. */
  readonly incomplete: string | null;
  /** Null if results of the query are not shared, and for pages requested by code. */
  readonly cache: { readonly hit: boolean; readonly ageSeconds: number } | null;
}

export type DeliverPage = (call: Call, form: () => Result<PageForm>) => Promise<Result<Page>>;

export interface PageParts {
  readonly deliver: Deliver;
  readonly execute: Execute;
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly store: Pick<MetadataStore, 'queries'>;
  readonly config: () => Config;
  readonly now: () => number;
  /** Names of shared results are file names: values must not be recognisable without the secret. */
  readonly sharedName: (digest: string) => string;
  /** For the log: a result failed after its first page was sent, so no caller saw the error. */
  readonly drainFailed: (requestId: string, queryName: string, error: unknown) => void;
}

const MAX_PAGE_BYTES = 16 << 20;

/** The first page runs the query; a page with a code is read from the snapshot that the first one started. */
export function createDeliverPage(parts: PageParts): DeliverPage {
  const { requestOf, take } = createPages(parts);
  return (call, form) => parts.deliver(requestOf(call, form), take);
}

/** The two halves of `createDeliverPage`, for use-cases that do more with the page within the same audited call. */
export function createPages(parts: PageParts) {
  const shared = createShared(parts.snapshots);
  const actionOf = ({ code }: PageForm): string => (code === undefined ? 'query.execute' : 'query.next-page');
  const parametersOf = ({ code }: PageForm, query: Query) =>
    code === undefined ? undefined : parametersOfCode(parts, code, query);
  const positionOf = ({ code, codeAlone }: PageForm) =>
    code === undefined || codeAlone !== true ? undefined : positionIn(parts.continuations, code, 'page');
  const isContinued = ({ code }: PageForm): boolean => code !== undefined;
  const requestOf = <Form extends PageForm>(call: Call, form: () => Result<Form>): DeliveryRequest<Form> => ({
    call,
    action: 'query.execute',
    actionOf,
    form,
    parametersOf,
    positionOf,
    isContinued,
  });
  const take = (authorised: Authorised<PageForm>): Promise<Result<Page>> =>
    authorised.form.code === undefined ? firstPage(parts, shared, authorised) : nextPage(parts, authorised, authorised.form.code);
  return { requestOf, take };
}

function firstPage(parts: PageParts, shared: Shared, authorised: Authorised<PageForm>): Promise<Result<Page>> {
  const { form, query, values, call } = authorised;
  const sharing = sharingOf(authorised, () => parts.sharedName(rowsDigestOf(query.id, values)));
  if (sharing === null) return executedPage(parts, authorised, null);
  return shared({
    sharing,
    fresh: form.fresh === true,
    signal: call.signal,
    find: (mark) => sharedPage(parts, authorised, mark),
    run: () => executedPage(parts, authorised, sharing),
  });
}

/** Issues a code for this caller. Null if the snapshot is gone or incomplete. */
async function sharedPage(parts: PageParts, authorised: Authorised<PageForm>, mark: SharedMark): Promise<Result<Page> | null> {
  const { form, query, values, principal, draft } = authorised;
  const requested = {
    rowIndex: form.rowIndex ?? 0,
    rowSize: sizeOf(parts, form.rowSize),
    maxPageBytes: form.maxPageBytes ?? MAX_PAGE_BYTES,
  };
  const owner = { userId: principal.userId, queryId: query.id, digest: digestOf(query.id, values) };
  const page = await readPage(parts, authorised, { ...owner, ...requested, snapshotId: mark.id }, requested);
  if (!page.ok) return page.failure.kind === 'QueryCancelled' ? page : null;
  draft.cached = true;
  const ageSeconds = Math.max(0, Math.floor((parts.now() - mark.at) / 1000));
  return succeeded({ ...page.value, cache: { hit: true, ageSeconds } });
}

async function executedPage(parts: PageParts, authorised: Authorised<PageForm>, sharing: Sharing | null): Promise<Result<Page>> {
  const { form, query, principal, values, draft, allowance } = authorised;
  const startedAt = parts.now();
  const requested = sizeOf(parts, form.rowSize);
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
      classify: (seen) => classifyColumns(columns, definition.columns, seen),
      rowIndex: form.rowIndex ?? 0,
      rowSize,
      maxPageBytes: form.maxPageBytes ?? MAX_PAGE_BYTES,
      ...(definition.maxRows === undefined ? {} : { maxRows: definition.maxRows }),
      ...(sharing === null ? {} : { keepUntil: startedAt + sharing.maxAgeMs }),
      wholeBeforeFirstPage: definition.epilogue !== undefined,
      onEnd: (outcome) => {
        if (isFirstPageSent && outcome.state === 'failed')
          parts.drainFailed(authorised.call.requestId, query.queryName, outcome.error);
      },
    });
    isFirstPageSent = true;
    execution.value.continueInBackground();
    if (first.kind === 'incomplete') return failed({ kind: 'SnapshotIncomplete', reason: first.reason });
    note(draft, first.page);
    const page = pageOf(parts, { ...owner, digest: () => digestOf(query.id, values) }, first.page, first.snapshotId, {
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

async function nextPage(parts: PageParts, authorised: Authorised<PageForm>, code: string): Promise<Result<Page>> {
  const { form, query, principal, values } = authorised;
  let { position } = authorised;
  if (position === undefined) {
    const read = positionIn(parts.continuations, code, 'page');
    if (!read.ok) return read;
    position = read.value;
    if (position.userId !== principal.userId) return failed({ kind: 'ContinuationForeign' });
    const digest = digestOf(query.id, values);
    if (position.queryId !== query.id || position.digest !== digest) return failed({ kind: 'ContinuationInvalid' });
  }
  const { rowIndex = position.rowIndex, rowSize = position.rowSize, maxPageBytes = MAX_PAGE_BYTES } = form;
  return readPage(parts, authorised, position, { rowIndex, rowSize, maxPageBytes });
}

/** The position that a code of this kind stands for. */
export function positionIn<Kind extends 'page' | 'stream'>(continuations: Continuations, code: string, kind: Kind) {
  const position = continuations.read(code, kind);
  return position === null
    ? failed({ kind: 'ContinuationInvalid', ...(kind === 'stream' ? { of: 'stream' } : {}) })
    : succeeded(position);
}

/** A page of the snapshot of a continuation, whose owner the caller was found to be. */
export async function readPage(
  parts: Pick<PageParts, 'snapshots' | 'continuations' | 'config'>,
  { call, draft, allowance, response }: Pick<Authorised<QueryForm>, 'call' | 'draft' | 'allowance' | 'response'>,
  position: SnapshotPosition,
  request: PageRequest,
): Promise<Result<Page>> {
  const requested = sizeOf(parts, request.rowSize);
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
      return failed({ kind: 'ContinuationExpired', givenUp: true });
    case 'incomplete':
      return failed({ kind: 'SnapshotIncomplete', reason: read.reason });
    case 'page':
      draft.queryVersion = read.manifest.queryVersion;
      note(draft, read.page);
      return succeeded(
        pageOf(parts, { ...position, digest: () => position.digest }, read.page, position.snapshotId, { rowSize, requested }),
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

/** Pages of a snapshot are requested with the parameters of the version that ran, also after a new version. */
async function parametersOfCode(parts: PageParts, code: string, query: Query): Promise<readonly ParameterDefinition[]> {
  const current = query.current.definition.parameters;
  const position = parts.continuations.read(code, 'page');
  if (position === null || position.queryId !== query.id) return current;
  const manifest = await parts.snapshots.manifest(position.snapshotId);
  if (manifest === null || manifest.queryVersion === query.current.version) return current;
  const versions = await parts.store.queries.versions(query.id);
  return versions.find((each) => each.version === manifest.queryVersion)?.definition.parameters ?? current;
}

function pageOf(
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

const sizeOf = ({ config }: Pick<PageParts, 'config'>, requested: number | undefined): number =>
  Math.min(requested ?? config().rowsDefault, config().rowsMax);

function note(draft: Authorised<PageForm>['draft'], page: ResultPage): void {
  draft.rows = page.rowCount;
  draft.bytes = page.rows.length;
  draft.responseBytes = page.rows.length;
}
