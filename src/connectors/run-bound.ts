import { ConnectorError } from './connector.ts';

/**
 * Bounds one run by its caller's signal and by a budget of database time: the clock runs only while someone waits for the
 * database, so that a reader who pauses costs the query nothing.
 */
export abstract class RunBound {
  readonly timeoutMs: number;
  readonly #signal: AbortSignal;
  #leftMs: number;
  #stopped: ConnectorError | undefined;
  #ended = false;
  readonly #cancel = (): void => this.stop(cancelled());

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#signal = signal;
    this.#leftMs = timeoutMs;
    signal.addEventListener('abort', this.#cancel);
    if (signal.aborted) this.#stopped = cancelled(); // there is nobody yet to be told
  }

  get stopped(): ConnectorError | undefined {
    return this.#stopped;
  }

  stop(reason: ConnectorError): void {
    if (this.#stopped !== undefined || this.#ended) return;
    this.#stopped = reason;
    this.breakOff(reason);
  }

  /** From here on nothing stops the run. */
  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  /** What a stop does to the work under way. */
  protected abstract breakOff(reason: ConnectorError): void;

  protected startClock(): NodeJS.Timeout {
    return setTimeout(() => this.stop(this.#timedOut()), this.#leftMs);
  }

  protected stopClock(timer: NodeJS.Timeout | undefined, startedAt: number): void {
    clearTimeout(timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
  }

  #timedOut(): ConnectorError {
    return new ConnectorError('timeout', `The query took more than ${this.timeoutMs} ms.`);
  }
}

const cancelled = (): ConnectorError => new ConnectorError('cancelled', 'The query was cancelled.');
