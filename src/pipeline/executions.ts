import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import { ActiveSet } from '../core/concurrency/active-set.ts';
import { failed, type Result, succeeded } from '../core/errors.ts';
import type { Continuations } from '../results/continuation.ts';
import type { MetadataStore, ReportedExecution } from '../store/metadata-store.ts';
import type { Call } from './call.ts';
import { type AuditCall, readUnaudited } from './steps/audit-call.ts';
import type { Authenticate } from './steps/authenticate.ts';
import { ExecutionCancelledError } from './steps/find-canceller.ts';

/** An execution of this process; these fields change while it runs. */
export type RunningExecution = Omit<ReportedExecution, Changing> & Mutable<Pick<ReportedExecution, Changing>>;
type Changing = 'rows' | 'state' | 'request';
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** How a request is named to all processes. Only its own key, application or viewer can name it; null for other credentials. */
export function requestOf({ authentication, userId }: Principal, name: string): string | null {
  if (authentication.kind === 'viewer') return `${userId} ${name}`;
  if (authentication.kind === 'grant') return `${authentication.grantId} ${name}`;
  return authentication.kind === 'key' ? `${authentication.keyId} ${name}` : null;
}

export type Executions = ReturnType<typeof createExecutions>;

export function createExecutions() {
  const running = new ActiveSet<{ readonly execution: RunningExecution; readonly cancel: (reason: Error) => void }>();
  const find = (id: string) => running.list().find(({ execution }) => execution.id === id);
  /** False if it is not running. */
  const cancel = (id: string, by: 'user' | 'shutdown' = 'user'): boolean => {
    const found = find(id);
    if (found === undefined) return false;
    found.execution.state = 'cancelling';
    found.cancel(new ExecutionCancelledError(by));
    return true;
  };
  return {
    list: (): readonly RunningExecution[] => running.list().map(({ execution }) => execution),
    get: (id: string): RunningExecution | undefined => find(id)?.execution,
    cancel,
    /** Its request has a response: from now on it cannot be cancelled by the id of the request. */
    forgetRequest(id: string): void {
      const found = find(id);
      if (found !== undefined) found.execution.request = null;
    },
    /** Returns a function that ends it (idempotent). */
    begin(execution: RunningExecution, cancelIt: (reason: Error) => void): () => void {
      const begun = { execution, cancel: cancelIt };
      running.add(begun);
      return () => running.remove(begun);
    },
    cancelAll(): void {
      for (const { execution } of running.list()) cancel(execution.id, 'shutdown');
    },
  };
}

export interface ClusterExecutionsParts {
  readonly executions: Executions;
  /** Null if this process is the only one. */
  readonly store: Pick<MetadataStore, 'executions'> | null;
  readonly process: string; // unique in the cluster
  readonly now: () => number;
}

const REPORTED_AFTER_MS = 1_000;
const DEAD_AFTER_MS = 15_000;
const ATTEMPTS = 3;

export type ClusterExecutions = ReturnType<typeof createClusterExecutions>;

/** The executions of all processes. Most end within a second: only those that run longer are written to the store. */
export function createClusterExecutions({ executions, store, process, now }: ClusterExecutionsParts) {
  let reported = 0;
  const listElsewhere = async (): Promise<readonly ReportedExecution[]> => {
    const all = (await store?.executions.list(now() - DEAD_AFTER_MS)) ?? [];
    return all.filter((each) => executions.get(each.id) === undefined);
  };
  const list = async (): Promise<readonly ReportedExecution[]> =>
    [...executions.list(), ...(await listElsewhere())].sort((a, b) => a.startedAt - b.startedAt);
  /** False if it is not running. In another process it ends with the next exchange there, about a second later. */
  const cancel = async (id: string): Promise<boolean> =>
    executions.cancel(id) || ((await store?.executions.cancel(id, now() - DEAD_AFTER_MS)) ?? false);
  return {
    list,
    get: async (id: string): Promise<ReportedExecution | undefined> =>
      executions.get(id) ?? (await listElsewhere()).find((each) => each.id === id),
    cancel,
    /**
     * Cancels the only execution of this request whose caller still waits. Names are unique per client only: of several executions
     * with the same one, none is cancelled. One that another process has not reported yet is found by a later attempt.
     */
    async cancelRequest(request: string): Promise<void> {
      for (let attempt = 1; attempt <= (store === null ? 1 : ATTEMPTS); attempt++) {
        if (attempt > 1) await sleep(REPORTED_AFTER_MS, undefined, { ref: false });
        const found = (await list()).filter((each) => each.request === request && each.state !== 'draining');
        if (found.length === 1 && found[0] !== undefined) await cancel(found[0].id);
        if (found.length > 0) return;
      }
    },
    /** Reports the executions of this process to the others, and cancels those that others want cancelled. Called every second. */
    async exchange(): Promise<void> {
      if (store === null) return;
      const at = now();
      const lasting = executions.list().filter((each) => at - each.startedAt >= REPORTED_AFTER_MS);
      if (lasting.length === 0 && reported === 0) return;
      const cancelled = await store.executions.report(process, lasting, { at, forgetBefore: at - DEAD_AFTER_MS });
      reported = lasting.length;
      for (const id of cancelled) executions.cancel(id);
    },
  };
}

interface CancelParts {
  readonly authenticate: Authenticate;
  readonly auditCall: AuditCall;
  readonly executions: Pick<ClusterExecutions, 'cancelRequest' | 'get' | 'cancel'>;
}

/** Cancels a call of the same key by its `cancelName`, in whichever process it runs. */
export type CancelCall = (call: Call, name: string) => Promise<void>;

export const createCancelCall =
  ({ authenticate, auditCall, executions }: CancelParts): CancelCall =>
  async (call, name) => {
    const principal = await readUnaudited(auditCall, call, () => authenticate(call.credential, call.address));
    const request = principal.ok ? requestOf(principal.value, name) : null;
    if (request !== null) await executions.cancelRequest(request);
  };

const kinds = ['page', 'stream', 'export'] as const;

/** Cancels a run that has no first page yet, by the code that waits for it. Unless `isWanted`, only the right to do so is checked. */
export type CancelRun = (call: Call, code: string, isWanted: boolean) => Promise<Result<null>>;

export const createCancelRun =
  ({ authenticate, auditCall, executions, continuations }: CancelParts & { readonly continuations: Continuations }): CancelRun =>
  async (call, code, isWanted) => {
    const principal = await readUnaudited(auditCall, call, () => authenticate(call.credential, call.address));
    if (!principal.ok) return principal;
    const position = kinds.map((kind) => continuations.read(code, kind)).find((each) => each !== null) ?? null;
    if (position === null) return failed({ kind: 'ContinuationInvalid' });
    if (position.userId !== principal.value.userId) return failed({ kind: 'ContinuationForeign' });
    const found = await executions.get(position.snapshotId);
    if (isWanted && found !== undefined && found.state !== 'draining') await executions.cancel(found.id);
    return succeeded(null);
  };
