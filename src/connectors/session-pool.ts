import { ActiveSet } from '../active-set.ts';
import { ConnectorError } from './connector.ts';
import { Watch } from './watch.ts';

/** A connection as the pool sees it. */
export interface PooledSession {
  idleSince: number;
  onLost: () => void;
  readonly lost: boolean;
  readonly usable: boolean; // false: not to be lent again
  /** Cancels what runs in the database. */
  cancel(running: Promise<unknown>): Promise<void>;
  /** Says goodbye to the server. */
  end(): void;
  destroy(): void;
}

const idleMs = 60_000;

/** At most so many connections, made when they are needed and closed when they are idle for a while. */
export class SessionPool<Session extends PooledSession> {
  readonly #connect: () => Promise<Session>;
  readonly #most: number;
  readonly #idle: Session[] = [];
  readonly #watches = new ActiveSet<Watch>();
  readonly #waiting: ((session: Promise<Session>) => void)[] = [];
  readonly #sweep: NodeJS.Timeout;
  #open = 0; // with those that are being made
  #closed = false;
  readonly #empty = Promise.withResolvers<void>();

  constructor(connect: () => Promise<Session>, most: number) {
    this.#connect = connect;
    this.#most = Math.max(most, 1);
    this.#sweep = setInterval(() => this.#closeIdle(performance.now() - idleMs), idleMs / 4);
    this.#sweep.unref();
  }

  /** Lends a connection to one run, once there is one. */
  lend(watch: Watch): Session | Promise<Session> {
    if (this.#closed) throw closed();
    if (watch.stopped !== undefined) throw watch.stopped;
    this.#watches.add(watch);
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) if (idle.usable) return idle;
    return this.#lendLater(watch);
  }

  async #lendLater(watch: Watch): Promise<Session> {
    const { session, giveUp } = this.#take();
    try {
      return await watch.during(session);
    } catch (error) {
      giveUp();
      this.#end(watch);
      throw error;
    }
  }

  takeBack(session: Session, watch: Watch): void {
    this.#end(watch);
    this.#release(session);
  }

  /** For short work that leaves nothing open. */
  async use<T>(signal: AbortSignal, timeoutMs: number, work: (session: Session) => Promise<T>): Promise<T> {
    const watch = new Watch(signal, timeoutMs);
    const session = await this.lend(watch);
    const running = work(session);
    try {
      return await watch.during(running);
    } catch (error) {
      if (watch.stopped !== undefined) await session.cancel(running);
      throw error;
    } finally {
      this.takeBack(session, watch);
    }
  }

  /** Stops what runs and ends every connection. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const watch of this.#watches.list()) watch.stop(closed());
    for (const resolve of this.#waiting.splice(0)) resolve(Promise.reject(closed()));
    this.#closeIdle(Number.POSITIVE_INFINITY);
    if (this.#open > 0) await this.#empty.promise;
  }

  #take(): { session: Promise<Session>; giveUp(): void } {
    if (this.#open < this.#most) {
      const making = this.#make();
      return { session: making, giveUp: () => this.#releaseLater(making) };
    }
    const { promise, resolve } = Promise.withResolvers<Session>();
    this.#waiting.push(resolve);
    return {
      session: promise,
      giveUp: () => {
        const at = this.#waiting.indexOf(resolve);
        if (at < 0) this.#releaseLater(promise);
        else this.#waiting.splice(at, 1);
      },
    };
  }

  async #make(): Promise<Session> {
    this.#open++;
    try {
      const session = await this.#connect();
      session.onLost = () => this.#lost(session);
      if (session.lost) this.#lost(session);
      return session;
    } catch (error) {
      this.#gone();
      throw error;
    }
  }

  #releaseLater(session: Promise<Session>): void {
    session.then(
      (made) => this.#release(made),
      () => {},
    );
  }

  #release(session: Session): void {
    if (session.lost) return; // counted already
    if (!session.usable) {
      session.destroy();
      return;
    }
    if (this.#closed) {
      this.#goodbye(session);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next(Promise.resolve(session));
      return;
    }
    session.idleSince = performance.now();
    this.#idle.push(session);
  }

  #lost(session: Session): void {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#gone();
  }

  /** There is room for another connection: whoever waits gets a new one. */
  #gone(): void {
    this.#open--;
    if (this.#closed && this.#open === 0) this.#empty.resolve();
    if (this.#closed || this.#waiting.length === 0 || this.#open >= this.#most) return;
    this.#waiting.shift()?.(this.#make());
  }

  #closeIdle(before: number): void {
    for (const session of this.#idle.filter(({ idleSince }) => idleSince < before)) this.#goodbye(session);
  }

  #goodbye(session: Session): void {
    const at = this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    session.end();
  }

  #end(watch: Watch): void {
    watch.end();
    this.#watches.remove(watch);
  }
}

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
