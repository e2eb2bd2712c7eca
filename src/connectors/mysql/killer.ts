import type { NetworkSettings } from '../network-kind.ts';
import { connect, type Link } from './connect.ts';

const idleMs = 10_000;
const responseMs = 2000;

/**
 * Kills connections from a second one. It kills the whole connection, not only its query: a KILL QUERY that arrives late would hit
 * the next query.
 */
export class Killer {
  readonly #settings: NetworkSettings;
  #link: Promise<Link> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #orders = 0;
  #closed = false;

  constructor(settings: NetworkSettings) {
    this.#settings = settings;
  }

  /** Resolves when the server has confirmed the KILL, or cannot be reached. */
  async kill(threadId: number): Promise<void> {
    clearTimeout(this.#idle);
    this.#orders++;
    try {
      await this.#send(threadId).catch(() => this.#send(threadId)); // an old connection may be closed
    } catch {
      // the server's own time limit ends the query
    } finally {
      this.#orders--;
      if (this.#orders === 0) this.#rest();
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#orders === 0) this.#drop();
  }

  async #send(threadId: number): Promise<void> {
    this.#link ??= connect(this.#settings);
    const link = this.#link;
    const forget = (): void => {
      if (this.#link === link) this.#link = undefined;
    };
    try {
      const { connection, socket } = await link;
      if (socket.destroyed) throw new Error('The connection was lost.');
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('The server does not answer.')), responseMs);
        connection.query(`KILL ${threadId}`, (error) => {
          clearTimeout(timer);
          if (error === null || error.errno === noSuchThread) resolve();
          else reject(error);
        });
      });
    } catch (error) {
      forget();
      link.then(({ socket }) => socket.destroy()).catch(() => {});
      throw error;
    }
  }

  #rest(): void {
    if (this.#closed) this.#drop();
    else this.#idle = setTimeout(() => this.#drop(), idleMs).unref();
  }

  #drop(): void {
    clearTimeout(this.#idle);
    this.#link?.then(({ connection }) => connection.end()).catch(() => {});
    this.#link = undefined;
  }
}

const noSuchThread = 1094;
