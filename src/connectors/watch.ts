import type { ConnectorError } from './connector.ts';
import { RunBound } from './run-bound.ts';

/** A bound whose stop is felt at once by whoever waits, whatever becomes of the work. */
export class Watch extends RunBound {
  /** Told at once when the run is stopped. */
  onStop: () => void = () => {};
  #reject: (reason: ConnectorError) => void = () => {};

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
        this.stopClock(timer, startedAt);
        return true;
      };
      const fail = (reason: unknown): void => {
        if (end()) reject(reason);
      };
      work.then((value) => {
        if (end()) resolve(value);
      }, fail);
      if (this.stopped !== undefined) return fail(this.stopped);
      timer = this.startClock();
      this.#reject = fail;
    });
  }

  protected override breakOff(reason: ConnectorError): void {
    this.#reject(reason);
    this.onStop();
  }
}
