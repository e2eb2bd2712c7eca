import { RunDeadline } from '../../run-deadline.ts';

const noTimeoutMs = 2 ** 31 - 1; // the service measures it
const interruptEveryMs = 50; // DuckDB can miss an interrupt right after the start of a statement

/** A deadline that interrupts the database when the run is stopped, and waits until the interrupted work has ended. */
export class InterruptingDeadline extends RunDeadline {
  /** Interrupts the work in the database. */
  interrupt: () => void = () => {};
  /** Called when the run is stopped while the database does no work for it. */
  onIdleStop: () => void = () => {};
  #working = false;
  #interrupting: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal) {
    super(signal, noTimeoutMs);
    this.onStop = () => {
      if (this.#working) this.#keepInterrupting();
      else this.onIdleStop();
    };
  }

  /** Does work in the database, unless the run is stopped. Interrupted work rejects with the reason of the stop. */
  async work<T>(start: () => Promise<T>): Promise<T> {
    if (this.stopped !== undefined) throw this.stopped;
    this.#working = true;
    try {
      return await start();
    } catch (error) {
      throw this.stopped ?? error;
    } finally {
      this.#working = false;
      clearInterval(this.#interrupting);
    }
  }

  #keepInterrupting(): void {
    this.interrupt();
    this.#interrupting = setInterval(() => this.interrupt(), interruptEveryMs);
  }
}
