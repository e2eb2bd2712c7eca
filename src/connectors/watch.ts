import { ConnectorError } from './connector.ts';

/**
 * Bounds one run by its caller's signal and by a budget of database time: the clock runs only while someone waits for the
 * database, so that a reader who pauses costs the query nothing.
 */
export class Watch {
  /** Told at once when the run is stopped. */
  onStop: () => void = () => {};

  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #leftMs: number;
  #stopped: ConnectorError | undefined;
  #ended = false;
  #reject: (reason: ConnectorError) => void = () => {};
  readonly #cancel = (): void => this.stop(new ConnectorError('cancelled', 'The query was cancelled.'));

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
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
    this.#reject(reason);
    this.onStop();
  }

  /** Waits for the database, but no longer than the run may last. */
  during<T>(work: Promise<T>): Promise<T> {
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
      timer = setTimeout(() => this.stop(this.#timedOut()), this.#leftMs);
      this.#reject = fail;
    });
  }

  /** From here on nothing stops the run. */
  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  #timedOut(): ConnectorError {
    return new ConnectorError('timeout', `The query took more than ${this.#timeoutMs} ms.`);
  }
}
