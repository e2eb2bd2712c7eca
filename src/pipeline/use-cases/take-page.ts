import { classifyColumns } from '../../charts/classify.ts';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { labelColumns } from '../../results/columns.ts';
import { digestOf } from '../../results/continuation.ts';
import type { PendingResult } from '../../results/snapshot/pending-result.ts';
import type { Authorized } from '../authorized.ts';
import type { Deliver } from '../deliver.ts';
import { ranVersion } from '../find-query.ts';
import { claimOrThrow } from '../limits/unsent-bytes.ts';
import { type Execute, executionFailure } from '../steps/execute.ts';
import { nameResult, type NameValues } from '../steps/shared-results.ts';
import { createRunningPage, type LongRunParts, ownerOf, startLongRun } from './long-run.ts';
import { viewPage } from './page-view.ts';
import {
  type DeliverPage,
  notePage,
  type Page,
  type PageForm,
  pageSizeOf,
  readNextPage,
  readSnapshotPage,
  type TakePage,
  toPage,
} from './page.ts';

export interface TakePageParts extends LongRunParts {
  readonly execute: Execute;
  readonly now: () => number;
  readonly nameValues: NameValues;
}

/** The first page runs the query; a page with a code is read from the snapshot that the first one started. */
export function createTakePage(parts: TakePageParts): TakePage {
  const running: Running = new Map();
  return (authorized) => {
    const { position } = authorized;
    return position === null ? takeFirstPage(parts, running, authorized) : readNextPage(parts, authorized, position);
  };
}

export const createDeliverPage =
  (deliver: Deliver, takePage: TakePage): DeliverPage =>
  (call, form) =>
    deliver({ call, action: 'query.execute', form }, takePage);

/** Runs whose result others wait for, by the key of their sharing. Null: a shared result was found. */
type Running = Map<string, Promise<PageRun | null>>;
type PageRun = ReturnType<typeof startLongRun<PageForm, Page>>;

/** Runs the query, or uses the result of an identical call. Of concurrent identical calls one runs, and the others wait for it. */
async function takeFirstPage(parts: TakePageParts, running: Running, authorized: Authorized<PageForm>): Promise<Result<Page>> {
  const { call, form } = authorized;
  const sharing = sharingOf(parts, authorized);
  const run = (): PageRun =>
    startLongRun(
      parts,
      authorized,
      (detached, pending) => runQuery(parts, detached, sharing, pending),
      (to, id) => createRunningPage(parts, to, id),
    );
  if (sharing === null || sharing.maxAgeMs === 0 || form.fresh === true)
    return call.waitMs === undefined ? runQuery(parts, authorized, sharing) : run().awaitResult();
  const found = await findShared(parts, authorized, sharing);
  if (found !== null) return found;

  const first = await running.get(sharing.key);
  if (first) {
    const isEnded = await endsWithin(first.result, call.waitMs, call.signal);
    const code = isEnded ? null : await first.handOver(authorized);
    if (code !== null) return succeeded(code);
    // without a second wait: the first call has failed, and so may the next
    return (await findShared(parts, authorized, sharing)) ?? run().awaitResult();
  }
  const started = Promise.withResolvers<PageRun | null>();
  running.set(sharing.key, started.promise);
  void started.promise.then((own) => own?.result).then(() => running.delete(sharing.key));
  try {
    // another call may have ended since
    const shared = await findShared(parts, authorized, sharing);
    if (shared !== null) return shared;
    const own = run();
    started.resolve(own);
    return await own.awaitResult();
  } finally {
    started.resolve(null);
  }
}

/** Identical calls have the same key, and share one result for this long. 0: only figures of the same user use it. */
interface Sharing {
  readonly key: string;
  readonly maxAgeMs: number;
}

/** Null if the result is not shared: without `cacheSeconds` outside the web interface, or with an Epilogue. */
function sharingOf({ nameValues }: TakePageParts, authorized: Authorized<PageForm>): Sharing | null {
  const { call, principal, query } = authorized;
  const { cacheSeconds = 0, epilogue } = query.current.definition;
  if (epilogue !== undefined || (cacheSeconds === 0 && call.channel !== 'ui')) return null;
  // rights are checked before on every call
  return { key: nameResult(nameValues, authorized, principal.userId), maxAgeMs: cacheSeconds * 1000 };
}

/** The page of an identical earlier call, with a code for this caller. Null if there is none, or if its snapshot is incomplete. */
async function findShared(
  parts: TakePageParts,
  authorized: Authorized<PageForm>,
  { key, maxAgeMs }: Sharing,
): Promise<Result<Page> | null> {
  const mark = await parts.snapshots.findShared(key, maxAgeMs).catch(() => null); // a disk error must not fail the call
  if (mark === null) return null;
  const { form, query, values, principal, draft } = authorized;
  const position = {
    snapshotId: mark.id,
    userId: principal.userId,
    queryId: query.id,
    digest: digestOf(query.id, values),
    rowIndex: form.rowIndex ?? 0,
    rowSize: pageSizeOf(parts, form.rowSize),
  };
  const page = await readSnapshotPage(parts, authorized, position, viewPage(parts.config(), form.view, undefined));
  if (!page.ok) return page.failure.kind === 'QueryCancelled' ? page : null;
  draft.cached = true;
  const ageSeconds = Math.max(0, Math.floor((parts.now() - mark.at) / 1000));
  return succeeded({ ...page.value, cache: { hit: true, ageSeconds } });
}

async function runQuery(
  parts: TakePageParts,
  authorized: Authorized<PageForm>,
  sharing: Sharing | null,
  pending?: PendingResult,
): Promise<Result<Page>> {
  const { form, query, values, draft, allowance } = authorized;
  const startedAt = parts.now();
  const requested = pageSizeOf(parts, form.rowSize);
  const held = await allowance.hold(requested);
  if (!held.ok) return held;
  const rowSize = held.value;
  const view = viewPage(parts.config(), form.view, undefined);
  let isFirstPageSent = false;
  const isShared = sharing !== null && sharing.maxAgeMs > 0;
  const execution = await parts.execute({ ...authorized, id: pending?.id });
  if (!execution.ok) return execution;
  const { definition } = query.current;
  try {
    const columns = labelColumns(execution.value.rows.columns, definition.columns);
    const owner = ownerOf(authorized);
    const first = await parts.snapshots.take(execution.value.rows, {
      claim: (bytes) => {
        if (!pending?.isAnnounced) claimOrThrow(authorized.response, bytes);
      },
      pending,
      owner,
      source: authorized.database.id,
      signal: execution.value.signal,
      mayPause: execution.value.mayPause,
      columns,
      classified: form.classified === true,
      classify: (seen) => classifyColumns(columns, definition.columns, seen),
      rowIndex: form.rowIndex ?? 0,
      rowSize,
      maxPageBytes: view.maxPageBytes,
      view: view.view,
      maxRows: definition.maxRows,
      keepUntil: isShared ? startedAt + sharing.maxAgeMs : undefined,
      keep: form.keep === true || sharing !== null,
      wholeBeforeFirstPage: definition.epilogue !== undefined,
      onEnd: (outcome) => {
        if (isFirstPageSent && outcome.state === 'failed')
          parts.onLateFailure(authorized.call.requestId, query.queryName, outcome.error);
      },
    });
    isFirstPageSent = true;
    execution.value.continueInBackground();
    if (first.kind === 'incomplete') return failed({ kind: 'SnapshotIncomplete', reason: first.reason });
    notePage(draft, first.page, view);
    const asker = { ...owner, digest: () => digestOf(query.id, values), ran: ranVersion(authorized) };
    const page = toPage(parts, asker, first.page, first.snapshotId, {
      rowSize,
      requested,
      keep: form.keep,
      view,
    });
    if (sharing === null) return succeeded(page);
    // if it cannot be shared, the next call runs the query again
    if (first.snapshotId !== null) await parts.snapshots.share(sharing.key, first.snapshotId, startedAt).catch(() => undefined);
    return succeeded(isShared ? { ...page, cache: { hit: false, ageSeconds: 0 } } : page);
  } catch (error) {
    await execution.value.rows.close().catch(() => undefined); // releases the slot
    return failed(executionFailure(error));
  }
}
