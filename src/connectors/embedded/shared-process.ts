import { ConnectorError } from '../connector.ts';
import { ActiveRuns, type RunDeadline } from '../runs/run-deadline.ts';
import type { Channel, EngineProcess } from './engine-process.ts';

export interface SharedProcessOptions {
  readonly engine: string; // for messages
  readonly idleMs: number;
  /** Starts a process that is ready for requests. */
  start(): Promise<EngineProcess>;
  /** Called after each process has ended. Never rejects. */
  cleanUp(): Promise<void>;
}

const stopMs = 2000;
const hangUpMs = 5000;

/** The one process of a database, used by several runs at once: started when needed, ended after a time without use. */
export class SharedProcess {
  readonly #options: SharedProcessOptions;
  readonly #runs = new ActiveRuns();
  #starting: Promise<EngineProcess> | undefined;
  #process: EngineProcess | undefined;
  #exited: Promise<void> = Promise.resolve(); // the latest process has exited and its files are removed
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SharedProcessOptions) {
    this.#options = options;
  }

  /** Begins a run, which ends with `release`. */
  async acquire(deadline: RunDeadline): Promise<EngineProcess> {
    this.#runs.begin(deadline);
    clearTimeout(this.#idle);
    return this.#runs.wait(deadline, { granted: this.#ensureRunning(), cancel: () => this.#endLater() });
  }

  /** Stops the request where it is not finished. A process that does not stop it in time is killed, with all that it runs. */
  async release(process: EngineProcess, channel: Channel, deadline: RunDeadline): Promise<void> {
    if (!channel.isFinished && process.isAlive && !(await channel.stop(stopMs))) {
      const message = `The ${this.#options.engine} process was ended because another query did not stop; call again.`;
      process.kill(new ConnectorError('unavailable', message, { isForAuthors: true }));
    }
    this.#runs.end(deadline);
    this.#endLater();
  }

  /** Stops what runs and ends the process. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#runs.stopAll();
    await this.#starting?.catch(() => {});
    await this.#process?.hangUp(hangUpMs);
    await this.#exited;
  }

  #ensureRunning(): Promise<EngineProcess> {
    if (this.#process?.isAlive === false) this.#starting = undefined;
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async #start(): Promise<EngineProcess> {
    this.#process = undefined;
    try {
      await this.#exited; // a file that is open for writing admits one process
      const process = await this.#options.start();
      this.#process = process;
      this.#exited = process.exited.then(() => this.#options.cleanUp());
      return process;
    } catch (error) {
      this.#starting = undefined;
      await this.#options.cleanUp();
      throw error;
    }
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    if (!this.#closed) this.#idle = setTimeout(() => this.#endIdle(), this.#options.idleMs).unref();
  }

  #endIdle(): void {
    if (this.#runs.size > 0) return;
    const process = this.#process;
    this.#process = undefined;
    this.#starting = undefined;
    void process?.hangUp(hangUpMs);
  }
}
