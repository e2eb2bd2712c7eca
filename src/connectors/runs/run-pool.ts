import { Pool, type PoolOptions } from '../../core/concurrency/pool.ts';
import { ConnectorError } from '../connector.ts';
import { ActiveRuns, RunDeadline, shortWorkMs } from './run-deadline.ts';

export interface RunPoolOptions<T> extends PoolOptions<T> {
  /** Stops work on an item before the item is released. */
  stop(item: T, work: Promise<unknown>): Promise<void> | void;
}

/** A pool of connections or processes, each used by one run at a time. A run waits for one no longer than its deadline allows. */
export class RunPool<T> {
  readonly #pool: Pool<T>;
  readonly #runs = new ActiveRuns();
  readonly #stop: RunPoolOptions<T>['stop'];

  constructor(options: RunPoolOptions<T>) {
    this.#pool = new Pool({ ...options, max: Math.max(options.max, 1) });
    this.#stop = options.stop;
  }

  /** Begins a run. Returns an idle item without a promise. */
  acquire(deadline: RunDeadline): T | Promise<T> {
    this.#runs.begin(deadline);
    return this.#pool.tryAcquire() ?? this.#runs.wait(deadline, this.#pool.acquire());
  }

  /** Gives the run another item. */
  replace(item: T, deadline: RunDeadline): Promise<T> {
    this.#pool.release(item);
    return this.#runs.wait(deadline, this.#pool.acquire());
  }

  /** Ends a run. */
  release(item: T, deadline: RunDeadline): void {
    this.#runs.end(deadline);
    this.#pool.release(item);
  }

  /** See `Pool`. */
  remove(item: T): void {
    this.#pool.remove(item);
  }

  /** Creates an item ahead of the next run, unless there is an idle one. */
  warmUp(): void {
    this.#pool.acquire().cancel();
  }

  /** For short work that leaves nothing open. */
  async use<R>(signal: AbortSignal, work: (item: T) => Promise<R>): Promise<R> {
    const deadline = new RunDeadline(signal, shortWorkMs);
    const item = await this.acquire(deadline);
    const working = work(item);
    try {
      return await deadline.runWithin(working);
    } catch (error) {
      if (deadline.stopped !== undefined) await this.#stop(item, working);
      throw error;
    } finally {
      this.release(item, deadline);
    }
  }

  /** Stops the active runs and ends every item. `destroyUsed`: without waiting for the runs to end. */
  close(destroyUsed = false): Promise<void> {
    this.#runs.stopAll();
    return this.#pool.close(destroyUsed);
  }
}

/** A connection in a pool. */
export interface PooledSession {
  onLost: () => void;
  /** False: not to be used again. */
  readonly usable: boolean;
  /** Cancels work that runs in the database. */
  cancel(working: Promise<unknown>): Promise<void>;
  /** Closes an idle connection. */
  end(): void;
  destroy(): void;
}

export function sessionPool<Session extends PooledSession>(connect: () => Promise<Session>, max: number): RunPool<Session> {
  const pool = new RunPool<Session>({
    max,
    idleMs: 60_000,
    async create() {
      const session = await connect();
      session.onLost = () => pool.remove(session);
      if (session.usable) return session;
      session.destroy();
      throw new ConnectorError('unavailable', 'The database closed the connection.');
    },
    isUsable: ({ usable }) => usable,
    stop: (session, working) => session.cancel(working),
    end: (session) => session.end(),
    destroy: (session) => session.destroy(),
  });
  return pool;
}
