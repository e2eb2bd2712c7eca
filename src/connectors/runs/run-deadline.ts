import { ActiveSet } from '../../core/concurrency/active-set.ts';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import type { Pending } from '../../core/concurrency/semaphore.ts';
import { ConnectorError } from '../connector.ts';

/** The time limit of short work, such as describing a statement. */
export const shortWorkMs = 30_000;

/** Added to the time limit of a server, which also counts the pauses of the reader. */
export const serverGraceMs = 15 * 60_000;

/**
 * Limits one run by its caller's signal and by a time limit. The clock runs only while the run waits for the database, so a reader
 * that pauses does not use up the time.
 */
export class RunDeadline {
  readonly timeoutMs: number;
  /** Called when the run is stopped. */
  onStop: () => void = () => {};
  readonly #signal: AbortSignal;
  #leftMs: number;
  #stopped: ConnectorError | undefined;
  #ended = false;
  #reject: (reason: ConnectorError) => void = () => {};
  readonly #cancel = (): void => this.stop(cancelledError(this.#signal));

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#leftMs = timeoutMs;
    signal.addEventListener('abort', this.#cancel);
    if (signal.aborted) this.#stopped = cancelledError(signal);
  }

  /** Why the run was stopped. */
  get stopped(): ConnectorError | undefined {
    return this.#stopped;
  }

  stop(reason: ConnectorError): void {
    if (this.#stopped !== undefined || this.#ended) return;
    this.#stopped = reason;
    this.#reject(reason);
    this.onStop();
  }

  /** The run can no longer be stopped. */
  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  /** Waits for the work, or rejects as soon as the run is stopped. The work itself continues. */
  runWithin<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let timer: NodeJS.Timeout | undefined;
      let over = false;
      const end = (): boolean => {
        if (over) return false;
        over = true;
        this.#reject = () => {};
        clearTimeout(timer);
        this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
        return true;
      };
      const fail = (reason: unknown): void => {
        if (end()) reject(reason);
      };
      work.then((value) => {
        if (end()) resolve(value);
      }, fail);
      if (this.#stopped !== undefined) return fail(this.#stopped);
      timer = setTimeout(() => this.stop(this.#timeoutError()), this.#leftMs);
      this.#reject = fail;
    });
  }

  #timeoutError(): ConnectorError {
    return new ConnectorError('timeout', `The query took more than ${this.timeoutMs} ms.`);
  }
}

const cancelledError = ({ reason }: AbortSignal): ConnectorError =>
  new ConnectorError('cancelled', 'The query was cancelled.', { cause: reason });

/** The runs of one connector. Closing the connector stops them. */
export class ActiveRuns {
  readonly #deadlines = new ActiveSet<RunDeadline>();
  #closed = false;

  get size(): number {
    return this.#deadlines.size;
  }

  begin(deadline: RunDeadline): void {
    if (this.#closed) throw new ConnectorError('unavailable', closedMessage);
    if (deadline.stopped !== undefined) throw deadline.stopped;
    this.#deadlines.add(deadline);
  }

  end(deadline: RunDeadline): void {
    deadline.end();
    this.#deadlines.remove(deadline);
  }

  /** Waits for what the run needs to start. A run that is stopped meanwhile ends. */
  async wait<T>(deadline: RunDeadline, { granted, cancel }: Pending<T>): Promise<T> {
    try {
      return await deadline.runWithin(granted);
    } catch (error) {
      cancel();
      this.end(deadline);
      throw error;
    }
  }

  /** Cancels all runs and refuses later ones. */
  stopAll(): void {
    this.#closed = true;
    for (const deadline of this.#deadlines.list()) deadline.stop(new ConnectorError('unavailable', closedMessage));
  }
}

const closedMessage = 'The connection to the database was closed.';

/** Waits for work that must be quick; rejects when it takes longer. */
export async function settleWithin(ms: number, work: Promise<unknown>): Promise<void> {
  if (!(await endsWithin(work, ms))) throw new Error('The database did not respond in time.');
  await work;
}
