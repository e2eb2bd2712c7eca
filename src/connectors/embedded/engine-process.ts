import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { freeBytes } from '../../results/byte-writer.ts';
import { ConnectorError } from '../connector.ts';
import { settleWithin } from '../runs/run-deadline.ts';
import { RunPool } from '../runs/run-pool.ts';
import {
  type EngineRequest,
  type FailureReport,
  type FileToOpen,
  type Frame,
  frameHeader,
  FrameReader,
  frameTypes,
  isLast,
  type Signal,
} from './frames.ts';
import { limitCommand, readResidentBytes, toMiB } from './memory-limit.ts';

export interface EngineProcessOptions {
  readonly engine: string; // for messages
  readonly program: string; // path of its main.ts
  readonly flags: readonly string[]; // of Node
  /** All of it: nothing of our environment is inherited, which may hold secrets. */
  readonly environment: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly oneRequestAtATime: boolean;
}

const largeChunk = 1 << 14;
const memoryCheckMs = 100;
const poolHangUpMs = 500;
const freeingMs = 5000; // an engine may take this long to free the memory of a request that has finished

/**
 * A child process that runs an embedded engine. Requests are sent over channels, several at once where the engine allows it. The process ends when
 * it is killed, when the socket is closed, when it exceeds its memory limit, and when the service ends.
 */
export class EngineProcess {
  readonly exited: Promise<void>;
  readonly #options: EngineProcessOptions;
  readonly #process: ChildProcess;
  readonly #socket: Duplex;
  readonly #channels = new Map<number, Channel>();
  #lastChannel = 0;
  #finishedAt = Number.NEGATIVE_INFINITY; // the latest request
  #memoryChecks: NodeJS.Timeout | undefined; // while it is in use, and a moment longer
  readonly #unsent: Buffer[] = [];
  #ended = false;

  constructor(options: EngineProcessOptions) {
    this.#options = options;
    const { program, flags, environment: env, memoryBytes } = options;
    const [command, ...words] = limitCommand(memoryBytes, [process.execPath, ...flags, program]);
    this.#process = spawn(command, words, { env, cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
    this.#socket = this.#process.stdio[3] as Duplex; // opened as a pipe
    const reader = new FrameReader((frame) => this.#channels.get(frame.channel)?.deliver(frame));
    this.#socket.on('data', (chunk: Buffer) => {
      reader.read(chunk);
      if (chunk.length >= largeChunk) freeBytes(chunk); // its frames are copies
    });
    for (const stream of [this.#socket, this.#process.stdin]) stream?.on('error', () => {}); // the exit event reports the end
    this.exited = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.#end(`The process that ran the query ended (${reason}).`);
        resolve();
      };
      // an allocation that the system refuses ends the process by a signal
      const bySignal = (signal: string): string =>
        `${signal}; it may have needed more than its ${toMiB(memoryBytes)} MiB of memory`;
      this.#process.on('exit', (code, signal) => end(signal === null ? `code ${code}` : bySignal(signal)));
      this.#process.on('error', (error) => end(error.message));
    });
    this.#keepsServiceAlive(false);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return !this.#ended;
  }

  open(): Channel {
    const id = ++this.#lastChannel;
    const channel = new Channel(
      (message) => this.#send(id, message),
      () => this.#closeChannel(id),
    );
    if (this.#ended) channel.fail(new ConnectorError('unavailable', `The ${this.#options.engine} process has ended.`));
    else this.#channels.set(id, channel);
    if (this.#memoryChecks === undefined && !this.#ended) this.#setBusy(true);
    return channel;
  }

  /** Sends the messages of this turn of the event loop, in one write. */
  flush(): void {
    if (this.#unsent.length > 0 && !this.#ended) this.#socket.write(Buffer.concat(this.#unsent.splice(0)));
  }

  /** The first request. It does not count as the cause of a later failure. */
  async openFile(file: FileToOpen): Promise<void> {
    try {
      await this.open().ask({ type: 'open', ...file });
      this.#finishedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      this.kill();
      await this.exited;
      throw error instanceof ConnectorError && error.kind === 'failed' ? new ConnectorError('unavailable', error.message) : error;
    }
  }

  /** Ends it at once. With a reason, every open channel fails with it. */
  kill(reason?: ConnectorError): void {
    this.#process.kill('SIGKILL');
    this.#end('The process that ran the query was ended.', reason);
    this.#socket.destroy();
    this.#keepsServiceAlive(true); // until it has exited
  }

  /** Lets it close its file; kills it when that takes longer than the grace. */
  async hangUp(graceMs: number): Promise<void> {
    this.#keepsServiceAlive(true);
    this.flush();
    this.#socket.end();
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  #send(channel: number, message: EngineRequest | Signal): void {
    const payload = Buffer.from(JSON.stringify(message));
    if (this.#unsent.length === 0) setImmediate(() => this.flush());
    this.#unsent.push(frameHeader(frameTypes.request, channel, payload.length), payload);
  }

  #closeChannel(id: number): void {
    this.#finishedAt = performance.now();
    this.#channels.delete(id);
  }

  #setBusy(isBusy: boolean): void {
    this.#keepsServiceAlive(isBusy);
    clearInterval(this.#memoryChecks);
    this.#memoryChecks = isBusy ? setInterval(() => this.#checkMemory(), memoryCheckMs).unref() : undefined;
  }

  #checkMemory(): void {
    const { engine, memoryBytes } = this.#options;
    if (this.#channels.size === 0) {
      this.#setBusy(false);
      return;
    }
    if (readResidentBytes(this.pid) <= memoryBytes) return;
    const limit = `${toMiB(memoryBytes)} MiB`;
    this.kill(this.#blame(`The ${engine} process was ended because it exceeded its memory limit of ${limit}.`));
  }

  /** If a single request was running, it caused the process to end; with several, the cause is unknown. */
  #blame(message: string): ConnectorError {
    const isAlone = this.#channels.size <= 1 && performance.now() - this.#finishedAt > freeingMs;
    if (this.#options.oneRequestAtATime || isAlone) return new ConnectorError('failed', message);
    const anyone = `${message} Another query may have been the cause; call again.`;
    return new ConnectorError('unavailable', anyone, { isForAuthors: true });
  }

  #end(message: string, reason = this.#blame(message)): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#memoryChecks);
    for (const channel of [...this.#channels.values()]) channel.fail(reason);
  }

  #keepsServiceAlive(doesSo: boolean): void {
    for (const part of [this.#process, this.#socket, this.#process.stdin]) {
      if (part === null || !('unref' in part) || !('ref' in part)) continue;
      const { ref, unref } = part as { ref(): void; unref(): void };
      (doesSo ? ref : unref).call(part);
    }
  }
}

/** The processes of one database, each used by one run at a time. */
export function processPool(options: {
  readonly max: number;
  readonly idleMs: number;
  start(): EngineProcess | Promise<EngineProcess>;
}): RunPool<EngineProcess> {
  const pool = new RunPool<EngineProcess>({
    max: options.max,
    idleMs: options.idleMs,
    async create() {
      const process = await options.start();
      void process.exited.then(() => pool.remove(process));
      return process;
    },
    isUsable: ({ isAlive }) => isAlive,
    stop: (process) => process.kill(),
    end: (process) => void process.hangUp(poolHangUpMs),
    destroy(process) {
      process.kill();
      void process.exited.then(() => pool.warmUp()); // the next run does not wait for the start
    },
  });
  return pool;
}

/** One request to a process, the signals that follow it, and the frames of its response. It closes with the last frame. */
export class Channel {
  readonly #send: (message: EngineRequest | Signal) => void;
  readonly #onClose: () => void;
  readonly #frames: Frame[] = [];
  #waiting: { readonly frames: number; resolve(): void; reject(reason: Error): void } | undefined;
  #onLast: () => void = () => {};
  #isFinished = false;
  #failure: ConnectorError | undefined;

  constructor(send: (message: EngineRequest | Signal) => void, onClose: () => void) {
    this.#send = send;
    this.#onClose = onClose;
  }

  /** Whether the process has sent its last frame for this request. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  send(message: EngineRequest | Signal): void {
    if (!this.#isFinished && this.#failure === undefined) this.#send(message);
  }

  /** Resolves when there are so many frames to take, or the last one. */
  whenReceived(frames: number): Promise<void> {
    if (this.#isFinished || this.#frames.length >= frames) return Promise.resolve();
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // its caller may have stopped waiting
    this.#waiting = { frames, resolve, reject };
    return promise;
  }

  /** The next frame that was received. */
  take(): Frame {
    const frame = this.#frames.shift();
    if (frame === undefined) throw new Error('There is no frame to take.');
    return frame;
  }

  /** All frames, if the last one was received; else none. */
  takeWhole(): readonly Frame[] {
    return this.#isFinished && this.#frames.at(-1)?.type === frameTypes.end ? this.#frames.splice(0) : [];
  }

  /** Sends a request whose response is one frame. Throws the error that the process reports. */
  async ask<Reply>(request: EngineRequest): Promise<Reply> {
    this.send(request);
    await this.whenReceived(1);
    const { type, payload } = this.take();
    const content = JSON.parse(payload.toString()); // written by our own code
    if (type !== frameTypes.reply) throw errorOf(content);
    return content;
  }

  /** Requests the end. False when the process has not ended the request within the grace. */
  async stop(graceMs: number): Promise<boolean> {
    this.send({ type: 'stop' });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onLast = resolve;
    await settleWithin(graceMs, promise).catch(() => {});
    return this.#isFinished;
  }

  /** Called by the process. */
  deliver(frame: Frame): void {
    this.#frames.push(frame);
    if (isLast(frame.type)) {
      this.#isFinished = true;
      this.#close();
    }
    if (this.#waiting === undefined || (!this.#isFinished && this.#frames.length < this.#waiting.frames)) return;
    this.#waiting.resolve();
    this.#waiting = undefined;
  }

  /** Called by the process when it has ended. */
  fail(reason: ConnectorError): void {
    this.#failure = reason;
    this.#close();
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  #close(): void {
    this.#onLast();
    this.#onClose();
  }
}

export const errorOf = ({ kind, message, ...options }: FailureReport): ConnectorError =>
  new ConnectorError(kind, message, options);
