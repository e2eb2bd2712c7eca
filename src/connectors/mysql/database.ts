import { ConnectorError } from '../connector.ts';
import { Watch } from '../watch.ts';
import { connect } from './connect.ts';
import { engineError } from './engine-error.ts';
import { Killer } from './killer.ts';
import { Pool } from './pool.ts';
import { Session } from './session.ts';
import type { MysqlSettings } from './settings.ts';

/** A server, by our connections to it. */
export class Database {
  readonly writable: boolean;
  readonly #pool: Pool;
  readonly #killer: Killer;

  constructor(settings: MysqlSettings, connections: number, writable: boolean) {
    this.writable = writable;
    this.#killer = new Killer(settings);
    this.#pool = new Pool(async () => {
      try {
        const session = new Session(await connect(settings), this.#killer);
        await session.setUp();
        return session;
      } catch (error) {
        throw engineError('unavailable', error);
      }
    }, connections);
  }

  /** A connection with an open transaction. A run that it is lent to ends with `takeBack`, also where this throws. */
  async begin(watch: Watch, mode: 'READ ONLY' | 'READ WRITE'): Promise<Session> {
    this.#pool.enter(watch);
    for (;;) {
      const session = await this.#pool.lend(watch);
      try {
        await watch.during(session.begin(mode, watch.timeoutMs));
        return session;
      } catch (error) {
        await session.end();
        this.#pool.takeBack(session);
        // the server went away while nobody looked: nothing has run yet, and a new connection may do
        if (watch.stopped === undefined && session.lost && session.runs > 1) continue;
        throw error;
      }
    }
  }

  /** Ends the run's transaction, whatever it was in the middle of. */
  async takeBack(session: Session | undefined, watch: Watch): Promise<void> {
    this.#pool.leave(watch);
    if (session === undefined) return;
    await session.end();
    this.#pool.takeBack(session);
  }

  /** For short work in a transaction that is never committed. */
  async use<T>(
    signal: AbortSignal,
    timeoutMs: number,
    work: (session: Session) => Promise<T>,
    mode: 'READ ONLY' | 'READ WRITE' = 'READ ONLY',
  ): Promise<T> {
    const watch = new Watch(signal, timeoutMs);
    let session: Session | undefined;
    try {
      session = await this.begin(watch, mode);
      return await watch.during(work(session));
    } catch (error) {
      throw error instanceof ConnectorError ? error : engineError('failed', error);
    } finally {
      await this.takeBack(session, watch);
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
    this.#killer.close();
  }
}
