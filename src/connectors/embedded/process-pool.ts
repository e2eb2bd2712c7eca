import { ConnectorError } from '../connector.ts';
import { Watch } from '../watch.ts';
import type { EngineProcess } from './engine-process.ts';

export interface PoolOptions<Request extends object> {
  readonly most: number;
  readonly idleMs: number;
  start(): EngineProcess<Request>;
}

/** The processes of one database, each used by one run at a time: started when needed, ended after a time without use. */
export class ProcessPool<Request extends object> {
  readonly #options: PoolOptions<Request>;
  readonly #all = new Set<EngineProcess<Request>>();
  readonly #idle: { readonly process: EngineProcess<Request>; readonly since: number }[] = []; // the longest idle first
  readonly #waiting: ((process: EngineProcess<Request>) => void)[] = [];
  readonly #watches = new Set<Watch>();
  readonly #endings = new Set<Promise<void>>();
  readonly #sweeping: NodeJS.Timeout;
  #closed = false;

  constructor(options: PoolOptions<Request>) {
    this.#options = options;
    this.#sweeping = setInterval(() => this.#endIdle(), options.idleMs / 4).unref();
  }

  /** Lends a process to one run, once there is one. The watch must be told to `giveBack` or `discard`. */
  async lend(watch: Watch): Promise<EngineProcess<Request>> {
    if (this.#closed) throw closed();
    if (watch.stopped !== undefined) throw watch.stopped;
    this.#watches.add(watch);
    const free = this.#free();
    if (free !== undefined) return free;
    const { promise, resolve } = Promise.withResolvers<EngineProcess<Request>>();
    this.#waiting.push(resolve);
    try {
      return await watch.during(promise);
    } catch (error) {
      const at = this.#waiting.indexOf(resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
      else void promise.then((process) => this.#offer(process)); // it came at the same moment
      this.#forget(watch);
      throw error;
    }
  }

  /** The process has answered all that it was asked. */
  giveBack(process: EngineProcess<Request>, watch: Watch): void {
    this.#forget(watch);
    this.#offer(process);
  }

  /** Kills it. Another takes its place at once, for the next who comes shall not wait for a start. */
  discard(process: EngineProcess<Request>, watch: Watch): void {
    this.#forget(watch);
    this.#kill(process);
    if (!this.#closed && (this.#waiting.length > 0 || this.#idle.length === 0)) this.#offer(this.#start());
  }

  /** For short work that leaves nothing open. */
  async use<T>(signal: AbortSignal, timeoutMs: number, work: (process: EngineProcess<Request>) => Promise<T>): Promise<T> {
    const watch = new Watch(signal, timeoutMs);
    const process = await this.lend(watch);
    let answered = false;
    try {
      const working = work(process).finally(() => {
        answered = true;
      });
      return await watch.during(working);
    } finally {
      if (answered && process.isAlive) this.giveBack(process, watch);
      else this.discard(process, watch);
    }
  }

  /** Stops what runs and ends every process. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeping);
    for (const watch of [...this.#watches]) watch.stop(closed());
    for (const { process } of this.#idle.splice(0)) this.#end(process);
    for (const process of [...this.#all]) this.#kill(process);
    await Promise.all(this.#endings);
  }

  #free(): EngineProcess<Request> | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (last.process.isAlive) return last.process;
      this.#kill(last.process);
    }
    return this.#all.size < this.#options.most ? this.#start() : undefined;
  }

  #offer(process: EngineProcess<Request>): void {
    const next = this.#waiting.shift();
    if (this.#closed) this.#kill(process);
    else if (next !== undefined) next(process);
    else {
      this.#idle.push({ process, since: performance.now() });
    }
  }

  #start(): EngineProcess<Request> {
    const process = this.#options.start();
    this.#all.add(process);
    return process;
  }

  #kill(process: EngineProcess<Request>): void {
    if (!this.#all.delete(process)) return;
    process.kill();
    this.#remember(process.exited);
  }

  #end(process: EngineProcess<Request>): void {
    if (!this.#all.delete(process)) return;
    this.#remember(process.hangUp(hangUpMs));
  }

  #remember(ending: Promise<void>): void {
    const remembered = ending.finally(() => this.#endings.delete(remembered));
    this.#endings.add(remembered);
  }

  #endIdle(): void {
    const before = performance.now() - this.#options.idleMs;
    for (let [first] = this.#idle; first !== undefined && first.since < before; [first] = this.#idle) {
      this.#idle.shift();
      this.#end(first.process);
    }
  }

  #forget(watch: Watch): void {
    watch.end();
    this.#watches.delete(watch);
  }
}

const hangUpMs = 500;

const closed = (): ConnectorError => new ConnectorError('unavailable', 'The connection to the database was closed.');
