import type { NetworkSettings } from '../network/network-engine.ts';
import { RunDeadline, shortWorkMs } from '../runs/run-deadline.ts';
import { type RunPool, sessionPool } from '../runs/run-pool.ts';
import { connect, Killer } from './connect.ts';
import { engineError } from './engine-error.ts';
import { type PlainStatement, Session } from './session.ts';

/** The connections to one server. */
export class Database {
  readonly writable: boolean;
  readonly #pool: RunPool<Session>;

  constructor(settings: NetworkSettings, connections: number, writable: boolean) {
    this.writable = writable;
    const killer = new Killer(settings);
    this.#pool = sessionPool(async () => {
      try {
        const session = new Session(await connect(settings), killer);
        await session.setUp();
        return session;
      } catch (error) {
        throw engineError('unavailable', error);
      }
    }, connections);
  }

  /** Begins a run, on a connection with an open transaction. */
  async begin(deadline: RunDeadline, mode: 'READ ONLY' | 'READ WRITE', isPlain: boolean): Promise<Session> {
    let session = await this.#pool.acquire(deadline);
    for (;;) {
      try {
        const beginning = session.begin(mode, deadline.timeoutMs, isPlain);
        if (beginning !== undefined) await deadline.runWithin(beginning);
        return session;
      } catch (error) {
        await session.endRun();
        // the server closed an idle connection: nothing has run yet, so a new connection can be tried
        if (deadline.stopped === undefined && !session.usable && session.runs > 1) {
          session = await this.#pool.replace(session, deadline);
          continue;
        }
        this.#pool.release(session, deadline);
        throw engineError('failed', error);
      }
    }
  }

  /** Ends a run: its transaction is rolled back where it is open, and what still runs is killed. `plain`: it has ended well. */
  async end(session: Session, deadline: RunDeadline, plain?: PlainStatement): Promise<void> {
    deadline.end();
    await session.endRun(plain);
    this.#pool.release(session, deadline);
  }

  /** For short work in a transaction that is never committed. */
  async use<T>(
    signal: AbortSignal,
    work: (session: Session) => Promise<T>,
    mode: 'READ ONLY' | 'READ WRITE' = 'READ ONLY',
  ): Promise<T> {
    const deadline = new RunDeadline(signal, shortWorkMs);
    const session = await this.begin(deadline, mode, false);
    try {
      return await deadline.runWithin(work(session));
    } catch (error) {
      throw engineError('failed', error);
    } finally {
      await this.end(session, deadline);
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
