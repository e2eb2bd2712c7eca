import { RunLimit } from '../../active-runs.ts';
import { InterruptingDeadline } from './interrupting-deadline.ts';
import type { Session } from './session.ts';

/** An open database file and its connections. */
export class Database {
  readonly writable: boolean;
  readonly #idle: Session[];
  readonly #limit: RunLimit;

  constructor(sessions: readonly Session[], writable: boolean) {
    this.writable = writable;
    this.#idle = [...sessions];
    this.#limit = new RunLimit(sessions.length);
  }

  /** Begins a run on a free connection. */
  async acquire(deadline: InterruptingDeadline): Promise<Session> {
    await this.#limit.begin(deadline);
    const session = this.#idle.pop();
    if (session === undefined) throw new Error('There are fewer connections than runs.');
    deadline.interrupt = () => session.interrupt();
    return session;
  }

  release(session: Session, deadline: InterruptingDeadline): void {
    this.#idle.push(session);
    this.#limit.end(deadline);
  }

  /** For short work that leaves nothing open. */
  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const deadline = new InterruptingDeadline(signal);
    const session = await this.acquire(deadline);
    try {
      return await deadline.work(() => work(session));
    } finally {
      this.release(session, deadline);
    }
  }

  /** Stops the active runs and ends every connection. */
  async close(): Promise<void> {
    await this.#limit.close();
    for (const session of this.#idle.splice(0)) session.close();
  }
}
