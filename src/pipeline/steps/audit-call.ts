import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { redactKeys } from '../../access/api-key.ts';
import { applicationOf, type Principal, viewerBehind } from '../../access/principal.ts';
import type { AuditEntry, Outcome } from '../../audit/audit-entry.ts';
import { accountOf } from '../../core/account-of.ts';
import { type CredentialOwner, failed, type Failure, FailureError, failureTable, type Result } from '../../core/errors.ts';
import { ObjectStoreError } from '../../results/storage/object-store-error.ts';
import { type ModelAnswer, StoreError } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import { storeFailure } from './store-failure.ts';

/** Filled in by the steps while a call runs; becomes its audit entry. */
export interface AuditDraft {
  action: string;
  principal: Principal | null;
  triedUser: string | null; // the name in a failed sign-in
  query: string | null;
  queryVersion: number | null;
  parameters: Record<string, unknown> | null;
  rows: number | null;
  bytes: number | null;
  status: number; // of a success
  cached?: boolean; // the rows of an earlier identical call were used
  responseBytes?: number; // in memory until the response is sent; not part of the entry
  modelAnswer?: ModelAnswer; // what an AI assistant gets by default; not part of the entry
}

export type AuditCall = <T>(call: Call, action: string, work: (draft: AuditDraft) => Promise<Result<T>>) => Promise<Result<T>>;

const LONGEST_NAME = 100;
const SHORT_WAIT_MS = 300;

/** Commits the audit entry before the caller gets the result. A call fails if its entry cannot be written. */
export function createAuditCall(log: AuditLog, now: () => number): AuditCall {
  const record = createRecord(log, now);
  return async (call, action, work) => {
    const draft = createDraft(call, action);
    const result = await attempt(() => work(draft));
    return await record(call, draft, result); // without `await` it takes two more turns
  };
}

/** Commits the entry of a call and returns its result, or a failure if the entry could not be written. */
export type RecordCall = <T>(call: Call, draft: AuditDraft, result: Result<T>) => Promise<Result<T>>;

export function createRecord(log: AuditLog, now: () => number): RecordCall {
  return async (call, draft, result) => {
    try {
      const entry = entryOf(call, draft, result, Math.max(0, now() - call.startedAt));
      const written = draft.principal === null ? log.append(entry, 'unknown') : log.append(entry);
      await (isStoreUnavailable(result) ? waitBriefly(written) : written);
    } catch (cause) {
      return failed({ kind: 'StoreUnavailable', cause });
    }
    return result;
  };
}

export const createDraft = (call: Call, action: string): AuditDraft => ({
  action,
  principal: null,
  triedUser: call.credential.kind === 'basic' ? call.credential.username : null,
  query: null,
  queryVersion: null,
  parameters: null,
  rows: null,
  bytes: null,
  status: 200,
});

/** Converts thrown errors to failures: failures that were thrown, those of the store, and defects. */
export async function attempt<T>(work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FailureError) return failed(error.failure);
    if (error instanceof ObjectStoreError) return failed({ kind: 'StoreUnavailable', cause: error });
    return failed(error instanceof StoreError ? storeFailure(error) : { kind: 'Internal', cause: error });
  }
}

/** Reads have no audit entry, except those with a key or a password of a known account that is refused: the entry names the account. */
export async function readUnaudited<T>(auditCall: AuditCall, call: Call, work: () => Promise<Result<T>>): Promise<Result<T>> {
  const result = await attempt(work);
  // browsers send the cookie of a session that has ended by themselves
  const isSignIn = ownerOf(result) !== undefined && call.credential.kind !== 'session';
  return isSignIn ? auditCall(call, 'read', async () => result) : result;
}

const ownerOf = (result: Result<unknown>): CredentialOwner | undefined =>
  result.ok || !('owner' in result.failure) ? undefined : result.failure.owner;

const isStoreUnavailable = (result: Result<unknown>): boolean => !result.ok && result.failure.kind === 'StoreUnavailable';

/** A call that already waited for the store does not wait again; the entry may still be written. */
function waitBriefly(written: Promise<void>): Promise<unknown> {
  return Promise.race([written, sleep(SHORT_WAIT_MS, undefined, { ref: false })]);
}

function entryOf(call: Call, draft: AuditDraft, result: Result<unknown>, durationMs: number): AuditEntry {
  const { principal } = draft;
  const owner = ownerOf(result);
  return {
    at: call.startedAt,
    requestId: call.requestId,
    userId: principal === null ? (owner?.userId ?? null) : accountOf(principal.userId),
    user: principal?.username ?? owner?.username ?? redactName(draft.triedUser),
    kind: principal?.userKind ?? owner?.userKind ?? null,
    application: (principal && applicationOf(principal)) ?? owner?.application ?? null,
    viewer: (principal && viewerBehind(principal))?.sub ?? owner?.viewer ?? null,
    apiKey: principal?.authentication.kind === 'key' ? principal.authentication.keyName : (owner?.keyName ?? null),
    action: call.action ?? draft.action,
    query: draft.query === null ? null : redactKeys(draft.query), // callers send keys in the wrong field
    queryVersion: draft.queryVersion,
    parameters: draft.parameters === null ? null : redactParameters(draft.parameters),
    channel: call.channel,
    outcome: result.ok ? 'ok' : outcomeOf(result.failure),
    status: result.ok ? draft.status : failureTable[result.failure.kind].status,
    error: result.ok ? null : failureTable[result.failure.kind].code,
    rows: draft.rows,
    bytes: draft.bytes,
    durationMs,
    address: call.address.slice(0, LONGEST_NAME), // a proxy may forward any text
    client: call.client === null ? null : redactKeys(call.client),
    cached: draft.cached ?? false,
  };
}

function redactParameters(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactKeys(value);
    if (Array.isArray(value)) return value.map(redact);
    return typeof value === 'object' && value !== null ? redactParameters({ ...value }) : value;
  };
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, redact(value)]));
}

const redactName = (name: string | null): string | null => (name === null ? null : redactKeys(name).slice(0, LONGEST_NAME));

function outcomeOf(failure: Failure): Outcome {
  if (failure.kind === 'QueryCancelled') return 'cancelled';
  return failureTable[failure.kind].status >= 500 ? 'failed' : 'refused';
}

export interface AuditLog {
  /**
   * Resolves when the entry is committed; rejects when it could not be, and then the call must fail. Entries of callers without a valid
   * credential may be counted instead (`createUnknownCallers`).
   */
  append(entry: AuditEntry, caller?: 'unknown'): Promise<void>;
  /** Resolves when everything appended so far is committed. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const LARGEST_COMMIT = 500;
const GATHERING_TURNS = 10; // enough for calls whose rows are about to arrive
const GATHERING_MS = 5;

export interface EventLoop {
  now(): number; // milliseconds, monotonic
  /** Resolves in the next turn. */
  yieldTurn(): Promise<void>;
}

const nodeEventLoop: EventLoop = { now: () => performance.now(), yieldTurn: () => setImmediate() };

/** Entries of concurrent calls share a commit: while one runs, the next batch is gathered. */
export function createAuditLog(
  commit: (entries: readonly AuditEntry[]) => Promise<void>,
  { now, yieldTurn: nextTurn }: EventLoop = nodeEventLoop,
): AuditLog {
  let waiting: Waiting[] = [];
  let running: Promise<void> | null = null;
  let lastBatch = 1;

  /** Waits for calls of the same turn of the event loop, and some turns more until the batch is as large as the previous one. */
  async function gather(): Promise<void> {
    const end = now() + GATHERING_MS;
    let turns = 0;
    do await nextTurn();
    while (++turns < GATHERING_TURNS && waiting.length < lastBatch && now() < end);
    lastBatch = Math.min(waiting.length, LARGEST_COMMIT);
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const batch = waiting.slice(0, LARGEST_COMMIT);
      waiting = waiting.slice(LARGEST_COMMIT);
      await settle(batch);
    }
    running = null;
  }

  async function settle(batch: readonly Waiting[]): Promise<void> {
    try {
      await commit(batch.map((each) => each.entry));
      for (const each of batch) each.resolve();
    } catch (error) {
      // an entry that cannot be written must not fail the calls that shared its commit
      if (batch.length > 1 && !(error instanceof StoreError)) for (const each of batch) await settle([each]);
      else for (const each of [...batch, ...(isUnavailable(error) ? waiting.splice(0) : [])]) each.reject(error);
    }
  }

  return {
    append: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        running ??= drain();
      }),
    flush: async () => {
      while (running !== null) await running;
    },
  };
}

/** Calls that arrived meanwhile have already waited for the store: they fail too instead of waiting as long again. */
const isUnavailable = (error: unknown): boolean => error instanceof StoreError && error.kind === 'unavailable';
