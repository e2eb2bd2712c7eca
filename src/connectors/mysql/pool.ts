import { ConnectorError } from '../connector.ts';
import type { Watch } from '../watch.ts';
import type { Session } from './session.ts';

const idleMs = 60_000;

/** At most so many connections, made when they are needed and closed when they are idle for a while. */
export class Pool {
  readonly #connect: () => Promise<Session>;
  readonly #most: number;
  readonly #idle: Session[] = [];
  readonly #watches = new Set<Watch>();
  readonly #waiting: ((session: Promise<Session>) => void)[] = [];
  readonly #sweep: NodeJS.Timeout;
  #open = 0; // with those that are being made
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(connect: () => Promise<Session>, most: number) {
    this.#connect = connect;
    this.#most = Math.max(most, 1);
    this.#sweep = setInterval(() => this.#closeIdle(performance.now() - idleMs), idleMs / 4).unref();
  }

  /** A run begins: closing will stop it. */
  enter(watch: Watch): void {
    if (this.#closing !== undefined) watch.stop(closed());
    this.#watches.add(watch);
  }

  leave(watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
  }

  /** Lends a connection to a run, once there is one. */
  async lend(watch: Watch): Promise<Session> {
    if (watch.stopped !== undefined) throw watch.stopped;
    const { session, giveUp } = this.#take();
    try {
      return await watch.during(session);
    } catch (error) {
      giveUp();
      throw error;
    }
  }

  takeBack(session: Session): void {
    if (session.lost) return; // counted when it was noticed
    if (this.#closing !== undefined) {
      session.quit();
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

  /** Stops what runs and ends every connection. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing.promise;
    this.#closing = Promise.withResolvers<void>();
    clearInterval(this.#sweep);
    for (const watch of this.#watches) watch.stop(closed());
    for (const resolve of this.#waiting.splice(0)) resolve(Promise.reject(closed()));
    this.#closeIdle(Number.POSITIVE_INFINITY);
    if (this.#open === 0) this.#closing.resolve();
    return this.#closing.promise;
  }

  #take(): { session: Promise<Session>; giveUp(): void } {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      const session = Promise.resolve(idle);
      if (!idle.lost) return { session, giveUp: () => this.#takeBackLater(session) };
    }
    if (this.#open < this.#most) {
      const session = this.#make();
      return { session, giveUp: () => this.#takeBackLater(session) };
    }
    const { promise, resolve } = Promise.withResolvers<Session>();
    this.#waiting.push(resolve);
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(resolve);
      if (at < 0) this.#takeBackLater(promise);
      else this.#waiting.splice(at, 1);
    };
    return { session: promise, giveUp };
  }

  #takeBackLater(session: Promise<Session>): void {
    session.then((made) => this.takeBack(made)).catch(() => {}); // it was never made
  }

  async #make(): Promise<Session> {
    this.#open++;
    try {
      const session = await this.#connect();
      session.onLost = () => this.#gone(session);
      if (session.lost) throw new ConnectorError('unavailable', 'The database closed the connection.');
      return session;
    } catch (error) {
      this.#gone();
      throw error;
    }
  }

  /** There is room for another connection: whoever waits gets a new one. */
  #gone(session?: Session): void {
    this.#open--;
    const at = session === undefined ? -1 : this.#idle.indexOf(session);
    if (at >= 0) this.#idle.splice(at, 1);
    if (this.#closing !== undefined) {
      if (this.#open === 0) this.#closing.resolve();
      return;
    }
    this.#waiting.shift()?.(this.#make());
  }

  #closeIdle(before: number): void {
    const old = this.#idle.filter(({ idleSince }) => idleSince < before);
    for (const session of old) {
      this.#idle.splice(this.#idle.indexOf(session), 1);
      session.quit();
    }
  }
}

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
