import { ConnectorError } from '../connector.ts';
import type { Watch } from '../watch.ts';
import type { Channel } from './channel.ts';
import type { EngineProcess } from './engine-process.ts';

export interface SharedProcessOptions<Request extends object> {
  readonly engine: string; // for messages
  readonly idleMs: number;
  /** Starts a process that is ready for requests. */
  start(): Promise<EngineProcess<Request>>;
  /** After each process. */
  cleanUp(): Promise<void>;
}

const stopMs = 2000;
const hangUpMs = 5000;

/** The one process of a database, used by several runs at once: started when needed, ended after a time without use. */
export class SharedProcess<Request extends object> {
  readonly #options: SharedProcessOptions<Request>;
  readonly #watches = new Set<Watch>();
  #starting: Promise<EngineProcess<Request>> | undefined;
  #process: EngineProcess<Request> | undefined;
  #gone: Promise<void> = Promise.resolve(); // the latest process has exited and its files are removed
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SharedProcessOptions<Request>) {
    this.#options = options;
  }

  /** To be followed by `release`. */
  async lend(watch: Watch): Promise<EngineProcess<Request>> {
    if (this.#closed) throw closed();
    if (watch.stopped !== undefined) throw watch.stopped;
    clearTimeout(this.#idle);
    this.#watches.add(watch);
    try {
      return await watch.during(this.#running());
    } catch (error) {
      this.#forget(watch);
      throw error;
    }
  }

  /** Stops the request where it is not finished. A process that does not stop it in time is killed, with all that it runs. */
  async release(process: EngineProcess<Request>, channel: Channel<Request>, watch: Watch): Promise<void> {
    if (!channel.isFinished && process.isAlive && !(await channel.stop(stopMs))) {
      const message = `The ${this.#options.engine} process was ended because another query did not stop; call again.`;
      process.kill(new ConnectorError('unavailable', message, { isForAuthors: true }));
    }
    this.#forget(watch);
  }

  /** Stops what runs and ends the process. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const watch of [...this.#watches]) watch.stop(closed());
    await this.#starting?.catch(() => {});
    await this.#process?.hangUp(hangUpMs);
    await this.#gone;
  }

  #running(): Promise<EngineProcess<Request>> {
    if (this.#process?.isAlive === false) this.#starting = undefined;
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<EngineProcess<Request>> {
    this.#process = undefined;
    try {
      await this.#gone; // a file that is open for writing admits one process
      const process = await this.#options.start();
      this.#process = process;
      this.#gone = process.exited.then(() => this.#options.cleanUp());
      return process;
    } catch (error) {
      this.#starting = undefined;
      await this.#options.cleanUp();
      throw error;
    }
  }

  #forget(watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
    if (this.#watches.size > 0 || this.#closed) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#endIdle(), this.#options.idleMs).unref();
  }

  #endIdle(): void {
    const process = this.#process;
    this.#process = undefined;
    this.#starting = undefined;
    void process?.hangUp(hangUpMs);
  }
}

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
