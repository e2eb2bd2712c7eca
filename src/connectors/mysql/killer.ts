import type { NetworkSettings } from '../network/network-engine.ts';
import { connect, type Link } from './connect.ts';

const responseMs = 2000;
const noSuchThread = 1094;

/**
 * Kills connections from another one, which is open while there are kills to send. It kills the whole connection, not only its
 * query: a KILL QUERY that arrives late would hit the next query.
 */
export class Killer {
  readonly #settings: NetworkSettings;
  #link: Promise<Link> | undefined;
  #pending = 0;

  constructor(settings: NetworkSettings) {
    this.#settings = settings;
  }

  /** Resolves when the server has confirmed the KILL, or cannot be reached: then its own time limit ends the query. */
  async kill(threadId: number): Promise<void> {
    this.#pending++;
    this.#link ??= connect(this.#settings);
    const link = this.#link;
    try {
      await send(await link, threadId);
    } catch {
      if (this.#link === link) this.#link = undefined;
      link.then(({ socket }) => socket.destroy()).catch(() => {});
    } finally {
      this.#pending--;
      if (this.#pending === 0) this.#end();
    }
  }

  #end(): void {
    this.#link?.then(({ connection }) => connection.end()).catch(() => {});
    this.#link = undefined;
  }
}

function send({ connection }: Link, threadId: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The server does not respond.')), responseMs);
    connection.query(`KILL ${threadId}`, (error) => {
      clearTimeout(timer);
      if (error === null || error.errno === noSuchThread) resolve();
      else reject(error);
    });
  });
}
