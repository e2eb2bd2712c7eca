import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Failure } from '../errors.ts';
import type { DoorReply, DoorRequest } from './door-request.ts';
import type { ObserveRequest } from './health-routes.ts';
import { bodyReader } from './read-body.ts';
import { newRequestId } from './request-id.ts';
import { failureOf, ownHeaders } from './server.ts';

export interface ExpressRoute {
  readonly path: string; // of a POST
  handle(request: DoorRequest, reply: DoorReply): Promise<unknown>;
  /** The answer where the request cannot be read, or its handler breaks. */
  refuse(request: DoorRequest, reply: DoorReply, failure: Failure): unknown;
}

export interface ExpressLaneParts {
  readonly routes: readonly ExpressRoute[];
  readonly bodyLimit: number;
  readonly isClosing: () => boolean;
  readonly observe: ObserveRequest;
}

/**
 * Calls in their plainest form, which are nearly all calls of programs, go to their handler past the framework, whose part is a tenth of what they
 * cost. Whatever is not plain goes the usual way, and both ways answer alike: the handler is the same.
 */
export function openExpressLane(app: FastifyInstance, { routes, bodyLimit, isClosing, observe }: ExpressLaneParts): void {
  const byPath = new Map(routes.map((route) => [route.path, route]));
  const readBody = bodyReader(bodyLimit);
  const usual = app.server.listeners('request');
  app.server.removeAllListeners('request');
  app.server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    const route = isPlain(message) ? byPath.get(message.url ?? '') : undefined;
    if (route === undefined) {
      for (const listener of usual) listener.call(app.server, message, response);
      return;
    }
    const begun = performance.now();
    const request = new ExpressRequest(app, message);
    const reply = new ExpressReply(response, request.id, isClosing);
    response.on('error', () => undefined); // who has left needs no answer
    response.once('finish', () => observe('POST', route.path, response.statusCode, performance.now() - begun));
    readBody(request, message, (error, body) => {
      if (error !== null) {
        route.refuse(request, reply.header('Connection', 'close'), failureOf(error)); // the rest of the body is not read
        return;
      }
      request.body = body;
      route.handle(request, reply).catch((cause: unknown) => route.refuse(request, reply, failureOf(cause)));
    });
  });
}

const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'POST' &&
  headers['content-type'] === 'application/json' &&
  headers.origin === undefined &&
  headers.cookie === undefined;

class ExpressRequest implements DoorRequest {
  readonly id = newRequestId();
  readonly headers: DoorRequest['headers'];
  readonly ip: string;
  readonly log: DoorRequest['log'];
  readonly raw: IncomingMessage;
  readonly server: FastifyInstance;
  body: unknown;

  constructor(app: FastifyInstance, message: IncomingMessage) {
    this.headers = message.headers;
    this.ip = message.socket.remoteAddress ?? '';
    this.log = app.log;
    this.raw = message;
    this.server = app;
  }
}

class ExpressReply implements DoorReply {
  readonly raw: ServerResponse;
  readonly #headers: Record<string, string | number>;
  readonly #isClosing: () => boolean;
  #status = 200;

  constructor(raw: ServerResponse, requestId: string, isClosing: () => boolean) {
    this.raw = raw;
    this.#isClosing = isClosing;
    this.#headers = { ...ownHeaders, 'x-request-id': requestId };
  }

  code(status: number): this {
    this.#status = status;
    return this;
  }

  header(name: string, value: string): this {
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  send(body: string | Buffer = ''): this {
    if (this.raw.headersSent || this.raw.destroyed) return this;
    if (this.#isClosing()) this.header('Connection', 'close'); // one that stays open would keep us from stopping
    this.#headers['content-length'] = Buffer.byteLength(body);
    this.raw.writeHead(this.#status, this.#headers).end(body);
    return this;
  }
}
