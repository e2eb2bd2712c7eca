import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../errors.ts';
import type { DoorReply, DoorRequest } from './door-request.ts';
import { ExpressReply } from './express-reply.ts';
import type { ObserveRequest } from './health-routes.ts';
import { type PlainHead, plainHead } from './plain-head.ts';
import { newRequestId } from './request-id.ts';
import { failureOf, stayWithHttps } from './server.ts';
import { refuseUnreadable } from './unreadable-request.ts';

export interface ExpressRoute {
  readonly path: string; // of a POST
  handle(request: DoorRequest, reply: DoorReply): Promise<unknown>;
  /** The answer where the handler breaks. */
  refuse(request: DoorRequest, reply: DoorReply, failure: Failure): unknown;
}

export interface Lane {
  readonly app: FastifyInstance;
  readonly routes: ReadonlyMap<string, ExpressRoute>;
  readonly largestBody: number;
  readonly keepAliveMs: number;
  readonly now: () => number; // milliseconds, monotonic
  readonly isClosing: () => boolean;
  readonly isSecure: boolean; // https
  readonly observe: ObserveRequest;
  /** The connection goes on as any other, beginning with these bytes. */
  handOver(connection: ExpressConnection, socket: Socket, unread: Buffer): void;
  closed(connection: ExpressConnection): void;
}

const LARGEST_HEAD = 8192;
const EARLY = 65_536; // bytes that we take before the answer to what came before them
const PATIENCE_MS = 1000; // with a request that has not arrived whole
const GRACE_MS = 1000; // beyond what we tell: a request may be on its way
const NOTHING = Buffer.alloc(0);

interface CallUnderWay {
  readonly route: ExpressRoute;
  readonly begun: number;
  readonly left: AbortController;
  readonly atEnd: (() => void)[];
}

/** A connection for as long as its requests are plain and come one by one. At the first that is not, all of it is the framework's. */
export class ExpressConnection {
  readonly #socket: Socket;
  readonly #lane: Lane;
  readonly #address: string;
  #textOfHead = '';
  #head: PlainHead | null = null; // of the last request; most clients send the same one again
  #unread: Buffer = NOTHING;
  #call: CallUnderWay | null = null;
  #status = 0; // of the answer that is being written
  #since: number;
  #isNew = true;

  constructor(socket: Socket, lane: Lane) {
    this.#socket = socket;
    this.#lane = lane;
    this.#since = lane.now();
    this.#address = socket.remoteAddress ?? '';
    socket.on('data', this.#read).on('end', this.#end).on('close', this.#closed).on('error', ignore);
  }

  /** From time to time: nobody keeps a connection for nothing. */
  sweep(): void {
    const ms = this.#lane.now() - this.#since;
    if (this.#call !== null) return;
    if (this.#isNew || this.#unread.length > 0) {
      if (ms > PATIENCE_MS) this.#handOver(); // where there are times and answers for those who are slow
    } else if (ms > this.#lane.keepAliveMs + GRACE_MS) this.#socket.destroy();
  }

  closeIfIdle(): void {
    if (this.#call === null) this.#socket.destroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  readonly #read = (chunk: Buffer): void => {
    const first = this.#unread.length === 0;
    this.#unread = first ? chunk : Buffer.concat([this.#unread, chunk]);
    if (this.#call !== null) {
      if (this.#unread.length > EARLY) this.#socket.pause();
      return;
    }
    const head = this.#readHead(this.#unread);
    const route = head === null ? undefined : this.#lane.routes.get(head.path);
    if (head === null || route === undefined || head.bodyLength > this.#lane.largestBody) {
      this.#handOver();
      return;
    }
    const start = this.#textOfHead.length + BLANK.length;
    const missing = start + head.bodyLength - this.#unread.length;
    this.#isNew = false;
    if (missing === 0) this.#handle(route, head, this.#unread.subarray(start));
    else if (missing < 0 || !first) this.#handOver();
    else this.#since = this.#lane.now(); // some send the body by itself
  };

  #readHead(bytes: Buffer): PlainHead | null {
    const text = bytes.toString('latin1', 0, Math.min(bytes.length, LARGEST_HEAD));
    const end = text.indexOf(BLANK);
    if (end < 0) return null;
    const head = text.slice(0, end);
    if (head !== this.#textOfHead) {
      this.#head = plainHead(head);
      this.#textOfHead = head;
    }
    return this.#head;
  }

  #handle(route: ExpressRoute, { headers }: PlainHead, body: Buffer): void {
    this.#unread = NOTHING;
    const { app } = this.#lane;
    const call: CallUnderWay = { route, begun: this.#lane.now(), left: new AbortController(), atEnd: [] };
    this.#call = call;
    const request: DoorRequest = {
      id: newRequestId(),
      headers,
      ip: this.#address,
      body,
      log: app.log,
      socket: this.#socket,
      server: app,
    };
    const reply = new ExpressReply(
      request.id,
      { left: call.left.signal, onEnd: (work) => this.#atEnd(call, work) },
      (...answer) => this.#deliver(call, ...answer),
    );
    if (this.#lane.isSecure) reply.header(...stayWithHttps);
    route
      .handle(request, reply)
      .catch((cause: unknown) => route.refuse(request, reply, failureOf(cause)))
      .catch(() => this.#socket.destroy()); // rather than leave it without an answer
  }

  #deliver(call: CallUnderWay, head: string, body: string | Buffer, length: number, status: number): void {
    if (call !== this.#call || this.#status !== 0 || this.#socket.destroyed) return; // who has left needs no answer
    this.#status = status;
    const closing = this.#lane.isClosing(); // one that stays open would keep us from stopping
    const kept = closing ? 'connection: close' : `connection: keep-alive\r\nkeep-alive: timeout=${this.#lane.keepAliveMs / 1000}`;
    const whole = `${head}date: ${httpDate()}\r\n${kept}${BLANK}`;
    if (typeof body === 'string') {
      this.#socket.write(whole + body, length === body.length ? 'latin1' : 'utf8', this.#answered); // as long as it has characters: ASCII
    } else {
      this.#socket.cork();
      this.#socket.write(whole, 'latin1');
      this.#socket.write(body, this.#answered);
      this.#socket.uncork();
    }
  }

  #atEnd(call: CallUnderWay, work: () => void): void {
    if (call === this.#call) call.atEnd.push(work);
    else work();
  }

  readonly #answered = (error?: Error | null): void => {
    const call = this.#call;
    if (call === null || error) return;
    this.#since = this.#lane.now();
    this.#lane.observe('POST', call.route.path, this.#status, this.#since - call.begun);
    this.#call = null;
    this.#status = 0;
    for (const work of call.atEnd) work();
    // also where the answer began before that, and with no regard to what came after the call
    if (this.#lane.isClosing()) this.#socket.destroySoon();
    else if (this.#unread.length > 0) this.#handOver(); // one who does not wait for answers
  };

  #handOver(): void {
    const socket = this.#socket;
    socket.off('data', this.#read).off('end', this.#end).off('close', this.#closed).off('error', ignore);
    this.#lane.handOver(this, socket, this.#unread);
    socket.resume();
  }

  readonly #end = (): void => {
    const midst = this.#call === null && this.#unread.length > 0;
    this.#unread = NOTHING;
    if (midst) refuseUnreadable(new Error('The request broke off.'), this.#socket);
    else if (this.#status !== 0) this.#socket.destroySoon(); // with what is left of the answer
    else this.#socket.destroy();
  };

  readonly #closed = (): void => {
    this.#lane.closed(this);
    const call = this.#call;
    this.#call = null;
    call?.left.abort();
    for (const work of call?.atEnd ?? []) work();
  };
}

const BLANK = '\r\n\r\n';

/** Who has left is told by `close`. */
const ignore = (): void => undefined;

let second = 0;
let date = '';

function httpDate(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}
