import { ConnectorError } from '../connector.ts';

const interruptEveryMs = 50; // one that comes just after the start can be lost

/**
 * Bounds one run by its caller's signal and by a budget of database time: the clock runs only while the database works,
 * so that a reader who pauses costs the query nothing.
 */
export class Watch {
  /** Ends the work under way. Set by whoever starts it. */
  interrupt: () => void = () => {};
  /** Told when the run is stopped while the database does nothing for it. */
  stoppedIdle: () => void = () => {};

  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #leftMs: number;
  #stopped: ConnectorError | undefined;
  #working = false;
  #ended = false;
  #interrupting: NodeJS.Timeout | undefined;
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
    if (this.#working) this.#keepInterrupting();
    else this.stoppedIdle();
  }

  /** Lets the database work, unless the run is stopped already. Work that a stop broke rejects with the stop's reason. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stopped !== undefined) throw this.#stopped;
    const startedAt = performance.now();
    const timer = setTimeout(() => this.stop(this.#timedOut()), this.#leftMs);
    this.#working = true;
    try {
      return await work();
    } catch (error) {
      throw this.#stopped ?? error;
    } finally {
      this.#working = false;
      clearTimeout(timer);
      clearInterval(this.#interrupting);
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt));
    }
  }

  /** From here on nothing stops the run. */
  end(): void {
    this.#ended = true;
    this.#signal.removeEventListener('abort', this.#cancel);
  }

  #keepInterrupting(): void {
    this.interrupt();
    this.#interrupting = setInterval(() => this.interrupt(), interruptEveryMs);
  }

  #timedOut(): ConnectorError {
    return new ConnectorError('timeout', `The query took more than ${this.#timeoutMs} ms.`);
  }
}
