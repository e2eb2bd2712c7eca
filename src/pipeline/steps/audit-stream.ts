import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../call.ts';
import { attempt, type AuditDraft, type AuditLog, createDraft, createRecord, type RecordCall } from './audit-call.ts';

/** A streamed response: what is known before its first byte, and the bytes. */
export interface Streamed<T> {
  readonly head: T;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The same as a use-case returns it. */
export interface OpenedStream<T> extends Streamed<T> {
  readonly failureOf: (error: unknown) => Failure; // of an error that the body throws
  /** Called once: after the last byte, an error or a disconnect, with whether any bytes were read for the caller. */
  readonly onEnd?: (anyRead: boolean) => void;
}

export type AuditStream = <T>(
  call: Call,
  action: string,
  work: (draft: AuditDraft) => Promise<Result<OpenedStream<T>>>,
) => Promise<Result<Streamed<T>>>;

export interface AuditStreamParts {
  readonly log: AuditLog;
  readonly now: () => number;
  /** For the log: the body failed after its first byte, and the caller saw at most a reset of the connection. */
  readonly onBroken: (requestId: string, failure: Failure) => void;
}

/**
 * Commits the audit entry before the last chunk is sent. An error before the first byte is a failure like that of any call; a later error,
 * also of the commit, makes the body throw a FailureError, and the door then resets the connection.
 */
export function createAuditStreams({ log, now, onBroken: broke }: AuditStreamParts) {
  const record = createRecord(log, now);
  const open = new Set<Promise<unknown>>();
  const auditStream: AuditStream = async (call, action, work) => {
    const draft = createDraft(call, action);
    const opened = await attempt(() => work(draft));
    if (!opened.ok) return record(call, draft, opened);
    const { head, body, failureOf, onEnd } = opened.value;
    const bodyFailure = (error: unknown): Failure =>
      call.signal.aborted ? { kind: 'QueryCancelled', cause: error } : failureOf(error);
    const source = body[Symbol.asyncIterator]();
    const begun = await begin(source, bodyFailure);
    if (!begun.ok) {
      onEnd?.(false);
      return record(call, draft, begun);
    }
    const [first, second] = begun.value;
    if (second === undefined) {
      // already complete: its entry is committed before the response starts, so an unavailable store is an error response
      draft.bytes = first?.length ?? 0;
      onEnd?.(first !== undefined);
      return record(call, draft, succeeded({ head, body: yieldOnce(first) }));
    }
    const ending = Promise.withResolvers<void>();
    open.add(ending.promise);
    const onEnded = (): void => {
      onEnd?.(true);
      open.delete(ending.promise);
      ending.resolve();
    };
    return succeeded({ head, body: holdBack({ call, draft, source, bodyFailure, record, broke, onEnded }, first, second) });
  };
  /** Resolves when no stream is open. */
  const whenSettled = (): Promise<unknown> => Promise.all(open);
  return { auditStream, whenSettled };
}

type Begun = readonly [first?: Uint8Array, second?: Uint8Array];

async function begin(source: AsyncIterator<Uint8Array>, bodyFailure: (error: unknown) => Failure): Promise<Result<Begun>> {
  try {
    const first = await pull(source);
    if (first === null) return succeeded([]);
    const second = await pull(source);
    return succeeded(second === null ? [first] : [first, second]);
  } catch (error) {
    return failed(bodyFailure(error));
  }
}

async function* yieldOnce(chunk: Uint8Array | undefined): AsyncIterable<Uint8Array> {
  if (chunk !== undefined) yield chunk;
}

interface Holding {
  readonly call: Call;
  readonly draft: AuditDraft;
  readonly source: AsyncIterator<Uint8Array>;
  readonly bodyFailure: (error: unknown) => Failure;
  readonly record: RecordCall;
  readonly broke: AuditStreamParts['onBroken'];
  readonly onEnded: () => void;
}

/** Not a generator: its `finally` would not run if the caller disconnects before the first read. */
function holdBack(holding: Holding, first: Uint8Array | undefined, second: Uint8Array): AsyncIterableIterator<Uint8Array> {
  const { call, draft, source, record } = holding;
  let held = first ?? null;
  let ahead: Uint8Array | null = second;
  let over: Promise<Result<null>> | null = null;
  draft.bytes = 0;

  const settle = (result: Result<null>): Promise<Result<null>> => {
    if (over !== null) return over;
    call.signal.removeEventListener('abort', leave);
    over = record(call, draft, result).then((recorded) => {
      if (!recorded.ok) holding.broke(call.requestId, recorded.failure);
      holding.onEnded();
      return recorded;
    });
    return over;
  };
  const emit = (chunk: Uint8Array): IteratorResult<Uint8Array> => {
    draft.bytes = (draft.bytes ?? 0) + chunk.length;
    return { done: false, value: chunk };
  };
  const stop = async (): Promise<void> => {
    const closed = source.return?.().catch(() => undefined); // its result does not matter: the caller has disconnected
    await settle(failed({ kind: 'QueryCancelled', cause: call.signal.reason }));
    await closed;
  };
  const leave = (): void => void stop();
  call.signal.addEventListener('abort', leave);
  if (call.signal.aborted) leave();

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (held === null) return { done: true, value: undefined };
      let upcoming: Uint8Array | null;
      try {
        upcoming = ahead ?? (await pull(source));
      } catch (error) {
        const failure = holding.bodyFailure(error);
        await settle(failed(failure));
        throw new FailureError(failure);
      }
      ahead = null;
      if (over !== null) throw new FailureError({ kind: 'QueryCancelled', cause: call.signal.reason });
      const chunk = held;
      held = upcoming;
      if (upcoming !== null) return emit(chunk);
      const last = emit(chunk);
      const recorded = await settle(succeeded(null));
      if (!recorded.ok) throw new FailureError(recorded.failure);
      return last;
    },
    async return() {
      if (over === null) await stop();
      held = null;
      return { done: true, value: undefined };
    },
  };
}

/** The next chunk that has bytes: holding back an empty one would have no effect. */
async function pull(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  for (;;) {
    const step = await source.next();
    if (step.done) return null;
    if (step.value.length > 0) return step.value;
  }
}
