import { type Result, succeeded } from '../../core/errors.ts';
import { digestOf, MAX_CODE_LENGTH } from '../../results/continuation.ts';
import type { PendingResult } from '../../results/snapshot/pending-result.ts';
import type { Authorized } from '../authorized.ts';
import type { Executions } from '../executions.ts';
import { attempt } from '../steps/audit-call.ts';
import { viewPage } from './page-view.ts';
import { type Page, type PageForm, type PageParts, pageSizeOf, toRunningPage } from './page.ts';

export interface LongRunParts extends PageParts {
  readonly executions: Pick<Executions, 'forgetRequest'>;
  /** For the log: a result failed after its call had a response, so no caller saw the error. */
  readonly onLateFailure: (requestId: string, queryName: string, error: unknown) => void;
}

/** A run that goes on if its call gets a response before the first page is there. */
export interface LongRun {
  readonly page: Promise<Result<Page>>;
  /** The page, or after `waitMs` of the call a code for it. */
  awaitPage(): Promise<Result<Page>>;
  /** A code for a caller of the same user. The run no longer ends when its own caller disconnects. Null if the first page is there. */
  handOver(authorized: Authorized<PageForm>): Promise<Page | null>;
}

export function startLongRun(
  parts: LongRunParts,
  authorized: Authorized<PageForm>,
  run: (authorized: Authorized<PageForm>, pending: PendingResult) => Promise<Result<Page>>,
): LongRun {
  const { call, query, principal } = authorized;
  const stop = new AbortController();
  const leave = () => stop.abort(call.signal.reason);
  const ignoreCaller = () => call.signal.removeEventListener('abort', leave);
  call.signal.addEventListener('abort', leave);
  if (call.signal.aborted) leave();
  const owner = {
    userId: principal.userId,
    queryId: query.id,
    queryName: query.queryName,
    queryVersion: query.current.version,
  };
  const pending = parts.snapshots.begin(owner, (error) => stop.abort(error));
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
  const page = end();
  const finish = async () => {
    const result = await page;
    Object.assign(authorized.draft, draft);
    return result;
  };
  const handOver = async (to: Authorized<PageForm>): Promise<Page | null> => {
    const rowSize = pageSizeOf(parts, to.form.rowSize);
    const size = { rowSize, requested: rowSize, view: viewPage(parts.config(), to.form.view, undefined) };
    const asker = { ...owner, digest: () => digestOf(query.id, to.values) };
    const code = toRunningPage(parts, asker, to.form.rowIndex ?? 0, pending.id, size);
    if ((code.code?.length ?? 0) > MAX_CODE_LENGTH) return null; // it names too many columns
    const isAnnounced = await pending.announce().catch(() => false); // without its storage, callers wait as long as they can
    if (!isAnnounced || isEnded) return null;
    ignoreCaller();
    parts.executions.forgetRequest(pending.id);
    return code;
  };
  return {
    page,
    async awaitPage() {
      if (call.waitMs === undefined || (await endsWithin(page, call.waitMs, call.signal))) return finish();
      const code = await handOver(authorized);
      return code === null ? finish() : succeeded(code);
    },
    handOver,
  };
}

/** Whether the work ends within this time. True if the caller disconnects, because nobody waits then. */
export function endsWithin(work: Promise<unknown>, waitMs: number | undefined, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = waitMs === undefined ? undefined : setTimeout(() => finish(false), waitMs);
    const leave = () => finish(true);
    const finish = (isEnded: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      resolve(isEnded);
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    work.then(leave, leave);
  });
}
