import { ConnectorError } from '../connector.ts';

/**
 * Bounds one run by its caller's signal and by a budget of database time: the clock runs only while someone waits for the
 * database, so that a reader who pauses costs the query nothing.
 */
export class Watch {
  /** Told once, when the run is stopped. */
  onStop: () => void = () => {};

  readonly timeoutMs: number;
  readonly #signal: AbortSignal;
  readonly #waiting = new Set<(reason: ConnectorError) => void>();
  #leftMs: number;
  #stopped: ConnectorError | undefined;
  #ended = false;
  readonly #cancel = (): void => this.stop(new ConnectorError('cancelled', 'The query was cancelled.'));

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#leftMs = timeoutMs;
    signal.addEventListener('abort', this.#cancel);
    if (signal.aborted) this.#cancel();
  }

  get stopped(): ConnectorError | undefined {
    return this.#stopped;
  }

  stop(reason: ConnectorError): void {
    if (this.#stopped !== undefined || this.#ended) return;
    this.#stopped = reason;
    for (const reject of this.#waiting) reject(reason);
    this.onStop();
  }

  /** Waits for the database, but no longer than the run lasts: a stop rejects at once, whatever becomes of the work. */
  async during<T>(work: Promise<T>): Promise<T> {
    if (this.#stopped !== undefined) {
      work.catch(() => {});
      throw this.#stopped;
    }
    const startedAt = performance.now();
    const timer = setTimeout(() => this.stop(this.#timedOut()), this.#leftMs);
    // no Promise.race with one promise for all stops: it would hold every result until the run is over
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(reject);
    work.then(resolve, reject);
    try {
      const result = await promise;
      // a query that was ended may still answer, with less than it would have
      if (this.#stopped !== undefined) throw this.#stopped;
      return result;
    } finally {
      this.#waiting.delete(reject);
      clearTimeout(timer);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
    }
  }

  /** From here on nothing stops the run. */
  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  #timedOut(): ConnectorError {
    return new ConnectorError('timeout', `The query took more than ${this.timeoutMs} ms.`);
  }
}
