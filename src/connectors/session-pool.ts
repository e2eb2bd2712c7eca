import { ConnectorError } from './connector.ts';
import { RunPool } from './run-pool.ts';

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
