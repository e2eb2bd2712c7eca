import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ConnectorError } from '../connector.ts';
import { frameHeaderBytes, type Request } from './protocol.ts';

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));

/** A process of ours that runs SQLite, one request at a time. It ends when we kill it, hang up, or end ourselves. */
export class SqliteProcess {
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #socket: Duplex;
  readonly #frames: Frame[] = [];
  #waiting: { resolve(frame: Frame): void; reject(reason: Error): void } | undefined;
  #ended: ConnectorError | undefined;
  #header = Buffer.alloc(frameHeaderBytes);
  #headerBytes = 0;
  #payload: Buffer | undefined;
  #payloadBytes = 0;

  constructor(scratchFolder: string) {
    // an environment of its own: no secrets of ours in it, and no time zone that would shift `localtime`
    const env = { TZ: 'UTC', SQLITE_TMPDIR: scratchFolder, NODE_COMPILE_CACHE: `${scratchFolder}/compiled` };
    const options = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256', program];
    this.#process = spawn(process.execPath, options, { env, cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe'] });
    this.#socket = this.#process.stdio[3] as Duplex; // a pipe, as asked for
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const stream of [this.#socket, this.#process.stdin]) stream?.on('error', () => {}); // told by the exit
    this.exited = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.#end(new ConnectorError('failed', `The process that ran the query ended (${reason}).`));
        resolve();
      };
      this.#process.on('exit', (code, signal) => end(signal ?? `code ${code}`));
      this.#process.on('error', (error) => end(error.message));
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  send(request: Request): void {
    const content = Buffer.from(JSON.stringify(request));
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(content.length);
    this.#socket.write(Buffer.concat([length, content]));
  }

  next(): Promise<Frame> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return Promise.resolve(frame);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    this.#waiting = { resolve, reject };
    return promise;
  }

  /** While nobody waits for it, it does not keep the service alive. */
  idle(isIdle: boolean): void {
    for (const part of [this.#process, this.#socket, this.#process.stdin]) {
      if (part === null || !('unref' in part) || !('ref' in part)) continue;
      const { ref, unref } = part as { ref(): void; unref(): void };
      (isIdle ? unref : ref).call(part);
    }
  }

  kill(): void {
    this.#process.kill('SIGKILL');
    this.#end(new ConnectorError('failed', 'The process that ran the query was ended.'));
    this.#socket.destroy();
  }

  /** Lets it close its file; kills it when that takes long. */
  async hangUp(): Promise<void> {
    this.#socket.end();
    const timer = setTimeout(() => this.kill(), 500);
    await this.exited;
    clearTimeout(timer);
  }

  #end(reason: ConnectorError): void {
    this.#ended ??= reason;
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
  }

  #read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#payload === undefined) {
        const copied = chunk.copy(this.#header, this.#headerBytes, at);
        at += copied;
        this.#headerBytes += copied;
        if (this.#headerBytes < frameHeaderBytes) return;
        this.#payload = Buffer.allocUnsafeSlow(this.#header.readUInt32LE(0));
        this.#payloadBytes = 0;
      }
      const copied = chunk.copy(this.#payload, this.#payloadBytes, at);
      at += copied;
      this.#payloadBytes += copied;
      if (this.#payloadBytes < this.#payload.length) return;
      this.#deliver({ type: this.#header.readUInt32LE(4), payload: this.#payload });
      this.#payload = undefined;
      this.#headerBytes = 0;
    }
  }

  #deliver(frame: Frame): void {
    if (this.#ended !== undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#frames.push(frame);
    else waiting.resolve(frame);
  }
}
