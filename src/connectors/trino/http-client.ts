import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent } from '../network/allowed-address.ts';
import type { TrinoSettings } from './settings.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface HttpCall {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly signal?: AbortSignal | undefined;
}

export type HttpClient = ReturnType<typeof createHttpClient>;

/** No complete response was received: the server cannot be reached, the connection was lost, or a gateway failed for too long. */
export class LostConnectionError extends Error {}

/** A larger response is an error. */
const mostBytes = 256 * 1024 * 1024;

const retriedStatuses = new Set([429, 502, 503, 504]);
const firstPauseMs = 50;
const longestPauseMs = 2000;
const retryMs = 30_000;

/** The client of the coordinator, over kept-alive connections, with the credentials of the connection. */
export function createHttpClient({ host, port, user, password, tls, connectTimeoutMs }: TrinoSettings) {
  const agent = createAgent(tls, { keepAlive: true, keepAliveMsecs: 30_000, timeout: 60_000 });
  const send = tls === false ? http.request : https.request;
  const credentials = password === '' ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };

  function callOnce(call: HttpCall): Promise<HttpResponse> {
    const { method, path, body, signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const headers = { ...call.headers, 'x-trino-user': user, ...credentials };
    const request = send({ agent, method, path, host, port, headers, ...(signal === undefined ? {} : { signal }) });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === 'ECONNRESET') {
        callOnce(call).then(resolve, reject); // the server had closed an idle connection
        return;
      }
      reject(new LostConnectionError(`No response from ${host}:${port}: ${error.message}`, { cause: error }));
    });
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => socket.destroy(new Error('the connection took too long')), connectTimeoutMs);
      const connected = (): void => clearTimeout(timer);
      socket.once(tls === false ? 'connect' : 'secureConnect', connected).once('close', connected);
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > mostBytes) response.destroy(new Error('the response is too large'));
        else chunks.push(chunk);
      });
      response.on('error', (error) =>
        reject(new LostConnectionError(`The response ended early: ${error.message}`, { cause: error })),
      );
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
    return promise;
  }

  return {
    /** Resolves with responses of any status; gateway errors that ask for a retry are retried for some time. */
    call: (call: HttpCall): Promise<HttpResponse> => withRetries(() => callOnce(call), call.signal),
    close: () => agent.destroy(),
  };
}

async function withRetries(send: () => Promise<HttpResponse>, signal: AbortSignal | undefined): Promise<HttpResponse> {
  const retryUntil = performance.now() + retryMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const reply = await send();
    if (!retriedStatuses.has(reply.status)) return reply;
    if (performance.now() > retryUntil)
      throw new LostConnectionError(`The server has responded with ${reply.status} for 30 seconds.`);
    const seconds = Number(reply.headers['retry-after'] ?? Number.NaN);
    // jitter, so that waiting runs do not retry at the same time
    const wait = Number.isFinite(seconds) ? Math.min(seconds * 1000, longestPauseMs) : pauseMs * (0.5 + Math.random() / 2);
    await sleep(wait, undefined, signal === undefined ? {} : { signal });
  }
}
