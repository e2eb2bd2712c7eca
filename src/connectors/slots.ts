import { ConnectorError } from './connector.ts';
import type { Watch } from './watch.ts';

/** At most so many runs at once, first come, first served: for engines that are spoken to over HTTP and hold no connection. */
export class Slots {
  #free: number;
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  readonly #watches = new Set<Watch>();
  readonly #idle = Promise.withResolvers<void>();
  #closed = false;

  constructor(most: number) {
    this.#most = Math.max(most, 1);
    this.#free = this.#most;
  }

  async take(watch: Watch): Promise<void> {
    if (this.#closed) throw closed();
    if (watch.stopped !== undefined) throw watch.stopped;
    this.#watches.add(watch);
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await watch.during(promise);
    } catch (error) {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      else this.#release(); // it was given in the same moment
      this.#forget(watch);
      throw error;
    }
  }

  give(watch: Watch): void {
    this.#release();
    this.#forget(watch);
  }

  /** Stops what runs, and waits until its work has ended in the database too. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const watch of [...this.#watches]) watch.stop(closed());
    if (this.#free < this.#most) await this.#idle.promise;
  }

  #forget(watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#free++;
    if (this.#closed && this.#free === this.#most) this.#idle.resolve();
  }
}

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
