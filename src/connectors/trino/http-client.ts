import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TrinoSettings } from './settings.ts';

export interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

export interface HttpCall {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface HttpClient {
  /** Resolves with responses of any status; gateway errors that ask for a retry are retried for some time. */
  call(call: HttpCall): Promise<HttpResponse>;
  close(): void;
}

/** No complete response was received: the server cannot be reached, the connection was lost, or a gateway failed for too long. */
export class LostConnectionError extends Error {}

const retriedStatuses = new Set([429, 502, 503, 504]);
const firstPauseMs = 50;
const longestPauseMs = 2000;
const retryMs = 30_000;
const mostBytes = 256 * 1024 * 1024;

export function createHttpClient(settings: TrinoSettings): HttpClient {
  const secure = settings.tls !== false;
  const options = { keepAlive: true, keepAliveMsecs: 30_000, timeout: 60_000 };
  const agent = secure ? new https.Agent({ ...options, ...settings.tls }) : new http.Agent(options);
  const send = secure ? https.request : http.request;
  const authorization =
    settings.password === ''
      ? {}
      : { authorization: `Basic ${Buffer.from(`${settings.user}:${settings.password}`).toString('base64')}` };

  function once(call: HttpCall): Promise<HttpResponse> {
    const { method, path, body, headers, signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    const request = send({
      agent,
      method,
      path,
      host: settings.host,
      port: settings.port,
      headers: { 'x-trino-user': settings.user, ...authorization, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === 'ECONNRESET') {
        once(call).then(resolve, reject); // the server had closed an idle connection
        return;
      }
      reject(new LostConnectionError(`No response from ${settings.host}:${settings.port}: ${error.message}`, { cause: error }));
    });
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => socket.destroy(new Error('the connection took too long')), settings.connectTimeoutMs);
      const connected = (): void => clearTimeout(timer);
      socket.once(secure ? 'secureConnect' : 'connect', connected).once('close', connected);
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > mostBytes) response.destroy(new Error('the response is too large'));
        chunks.push(chunk);
      });
      response.on('error', (error) =>
        reject(new LostConnectionError(`The response ended early: ${error.message}`, { cause: error })),
      );
      response.on('end', () => {
        const { statusCode: status = 0, headers: received } = response;
        const seconds = Number(received['retry-after']);
        const retryAfterMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, longestPauseMs) : undefined;
        resolve({ status, text: Buffer.concat(chunks).toString('utf8'), retryAfterMs });
      });
    });
    request.end(body);
    return promise;
  }

  async function callWithRetries(call: HttpCall): Promise<HttpResponse> {
    const retryUntil = performance.now() + retryMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const reply = await once(call);
      if (!retriedStatuses.has(reply.status)) return reply;
      if (performance.now() > retryUntil)
        throw new LostConnectionError(`The server has responded with ${reply.status} for 30 seconds.`);
      // jitter, so that waiting runs do not retry at the same time
      const wait = reply.retryAfterMs ?? pauseMs * (0.5 + Math.random() / 2);
      await sleep(wait, undefined, call.signal === undefined ? {} : { signal: call.signal });
    }
  }

  return { call: callWithRetries, close: () => agent.destroy() };
}
