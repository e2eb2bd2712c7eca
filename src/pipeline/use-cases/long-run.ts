import { endsWithin } from '../../core/concurrency/ends-within.ts';
import { type Result, succeeded } from '../../core/errors.ts';
import { digestOf, MAX_CODE_LENGTH } from '../../results/continuation.ts';
import type { PendingResult } from '../../results/snapshot/pending-result.ts';
import type { SnapshotOwner } from '../../results/storage/snapshot-storage.ts';
import type { Authorized, QueryForm } from '../authorized.ts';
import type { Executions } from '../executions.ts';
import { ranVersion } from '../find-query.ts';
import { attempt } from '../steps/audit-call.ts';
import { viewPage } from './page-view.ts';
import { type Page, type PageForm, type PageParts, pageSizeOf, toRunningPage } from './page.ts';

export interface LongRunParts extends PageParts {
  readonly executions: Pick<Executions, 'forgetRequest'>;
  /** For the log: a result failed after its call had a response, so no caller saw the error. */
  readonly onLateFailure: (requestId: string, queryName: string, error: unknown) => void;
}

/** A run that continues after its call got a response without the result: a first page, or a file. */
export function startLongRun<Form extends QueryForm, T>(
  parts: Omit<LongRunParts, keyof PageParts> & Pick<PageParts, 'snapshots'>,
  authorized: Authorized<Form>,
  run: (authorized: Authorized<Form>, pending: PendingResult) => Promise<Result<T>>,
  codeFor: (authorized: Authorized<Form>, snapshotId: string) => T | null, // null: it would be too long
) {
  const { call, query } = authorized;
  const stop = new AbortController();
  const leave = () => stop.abort(call.signal.reason);
  const ignoreCaller = () => call.signal.removeEventListener('abort', leave);
  call.signal.addEventListener('abort', leave);
  if (call.signal.aborted) leave();
  const pending = parts.snapshots.begin(ownerOf(authorized), (error) => stop.abort(error));
  const draft = { ...authorized.draft }; // that of the call may be committed before the run ends
  let isEnded = false;
  const end = async () => {
    const result = await attempt(() => run({ ...authorized, draft, call: { ...call, signal: stop.signal } }, pending));
    isEnded = true;
    ignoreCaller();
    await pending.end(result.ok ? null : result.failure);
    if (pending.isAnnounced && !result.ok && 'cause' in result.failure && result.failure.kind !== 'QueryCancelled')
      parts.onLateFailure(call.requestId, query.queryName, result.failure.cause);
    return result;
  };
  const result = end();
  const finish = async () => {
    const ended = await result;
    Object.assign(authorized.draft, draft);
    return ended;
  };
  /** A code for a caller of the same user. The run no longer ends when its own caller disconnects. Null if the result is there. */
  const handOver = async (to: Authorized<Form>): Promise<T | null> => {
    const code = codeFor(to, pending.id);
    if (code === null) return null;
    const isAnnounced = await pending.announce().catch(() => false); // without its storage, callers wait as long as they can
    if (!isAnnounced || isEnded) return null;
    ignoreCaller();
    parts.executions.forgetRequest(pending.id);
    return code;
  };
  return {
    result,
    /** The result, or after `waitMs` of the call a code for it. */
    async awaitResult(): Promise<Result<T>> {
      if (call.waitMs === undefined || (await endsWithin(result, call.waitMs, call.signal))) return finish();
      const code = await handOver(authorized);
      return code === null ? finish() : succeeded(code);
    },
    handOver,
  };
}

export const ownerOf = ({ principal, query }: Authorized<QueryForm>): SnapshotOwner => ({
  userId: principal.userId,
  queryId: query.id,
  queryName: query.queryName,
  queryVersion: query.current.version,
});

/** The page in place of the first one, with a code for it. Null if it names too many columns. */
export function createRunningPage(parts: PageParts, to: Authorized<PageForm>, snapshotId: string): Page | null {
  const { form, query, principal, values } = to;
  const rowSize = pageSizeOf(parts, form.rowSize);
  const size = { rowSize, requested: rowSize, view: viewPage(parts.config(), form.view, undefined) };
  const asker = {
    userId: principal.userId,
    queryId: query.id,
    digest: () => digestOf(query.id, values),
    ran: ranVersion(to),
  };
  const page = toRunningPage(parts, asker, form.rowIndex ?? 0, snapshotId, size);
  return (page.code?.length ?? 0) > MAX_CODE_LENGTH ? null : page;
}
