import { ConnectorError } from '../../connector.ts';
import { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { Watch } from './watch.ts';

/** An open database file and its connections. */
export class Database {
  readonly writable: boolean;
  readonly #sessions: readonly Session[];
  readonly #pool: Pool<Session>;
  readonly #watches = new Set<Watch>();
  #closed = false;

  constructor(sessions: readonly Session[], writable: boolean) {
    this.writable = writable;
    this.#sessions = sessions;
    this.#pool = new Pool(sessions);
  }

  /** Lends a connection to one run, once there is a free one. */
  async lend(watch: Watch): Promise<Session> {
    if (this.#closed) throw closed();
    if (watch.stopped !== undefined) throw watch.stopped;
    this.#watches.add(watch);
    const { taken, giveUp } = this.#pool.take();
    watch.interrupt = giveUp;
    try {
      const session = await watch.during(() => taken);
      watch.interrupt = () => session.interrupt();
      return session;
    } catch (error) {
      this.#watches.delete(watch);
      watch.end();
      throw error;
    }
  }

  takeBack(session: Session, watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
    this.#pool.give(session);
  }

  /** For short work that leaves nothing open. */
  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const watch = new Watch(signal);
    const session = await this.lend(watch);
    try {
      return await watch.during(() => work(session));
    } finally {
      this.takeBack(session, watch);
    }
  }

  /** Stops what runs and ends every connection. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const watch of this.#watches) watch.stop(closed());
    for (const session of await Promise.all(this.#sessions.map(() => this.#pool.take().taken))) session.close();
  }
}

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
