import type { Duplex } from 'node:stream';
import type { ConnectorError } from '../connector.ts';
import { type Frame, frameHeader, frameTypes, isLast, type Signal } from './frames.ts';

/** One request to a process, the signals that follow it, and the frames of its response. It closes with the last frame. */
export class Channel<Request extends object> {
  readonly #id: number;
  readonly #socket: Duplex;
  readonly #onClose: () => void;
  readonly #frames: Frame[] = [];
  readonly #last = Promise.withResolvers<void>();
  #waiting: { resolve(frame: Frame): void; reject(reason: Error): void } | undefined;
  #isFinished = false;
  #failure: ConnectorError | undefined;

  constructor(id: number, socket: Duplex, onClose: () => void) {
    this.#id = id;
    this.#socket = socket;
    this.#onClose = onClose;
  }

  /** Whether the process has sent its last frame for this request. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  send(message: Request | Signal): void {
    if (this.#isFinished || this.#failure !== undefined) return;
    const payload = Buffer.from(JSON.stringify(message));
    this.#socket.write(Buffer.concat([frameHeader(frameTypes.request, this.#id, payload.length), payload]));
  }

  next(): Promise<Frame> {
    const frame = this.#frames.shift();
    if (frame !== undefined) return Promise.resolve(frame);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    promise.catch(() => {}); // its caller may have stopped waiting
    this.#waiting = { resolve, reject };
    return promise;
  }

  /** Sends a request whose response is one frame. */
  async ask<Reply, Report>(request: Request): Promise<{ readonly reply: Reply } | { readonly failure: Report }> {
    this.send(request);
    const { type, payload } = await this.next();
    const content = JSON.parse(payload.toString());
    return type === frameTypes.reply ? { reply: content } : { failure: content };
  }

  /** Requests the end. False when the process has not ended the request within the grace. */
  async stop(graceMs: number): Promise<boolean> {
    this.send({ type: 'stop' });
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    await Promise.race([this.#last.promise, late]);
    clearTimeout(timer);
    return this.#isFinished;
  }

  /** Called by the process. */
  deliver(frame: Frame): void {
    if (isLast(frame.type)) {
      this.#isFinished = true;
      this.#close();
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#frames.push(frame);
    else waiting.resolve(frame);
  }

  /** Called by the process when it has ended. */
  fail(reason: ConnectorError): void {
    this.#failure = reason;
    this.#close();
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  #close(): void {
    this.#last.resolve();
    this.#onClose();
  }
}
