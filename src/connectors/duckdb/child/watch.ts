import { RunBound } from '../../run-bound.ts';

const noTimeoutMs = 2 ** 31 - 1; // the service measures it
const interruptEveryMs = 50; // one that comes just after the start can be lost

/** A bound whose stop interrupts the database, and waits until that has helped. */
export class Watch extends RunBound {
  /** Ends the work under way. Set by whoever starts it. */
  interrupt: () => void = () => {};
  /** Told when the run is stopped while the database does nothing for it. */
  stoppedIdle: () => void = () => {};

  constructor(signal: AbortSignal) {
    super(signal, noTimeoutMs);
  }

  #working = false;
  #interrupting: NodeJS.Timeout | undefined;

  /** Lets the database work, unless the run is stopped already. Work that a stop broke rejects with the stop's reason. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.stopped !== undefined) throw this.stopped;
    const startedAt = performance.now();
    const timer = this.startClock();
    this.#working = true;
    try {
      return await work();
    } catch (error) {
      throw this.stopped ?? error;
    } finally {
      this.#working = false;
      clearInterval(this.#interrupting);
      this.stopClock(timer, startedAt);
    }
  }

  protected override breakOff(): void {
    if (this.#working) this.#keepInterrupting();
    else this.stoppedIdle();
  }

  #keepInterrupting(): void {
    this.interrupt();
    this.#interrupting = setInterval(() => this.interrupt(), interruptEveryMs);
  }
}
