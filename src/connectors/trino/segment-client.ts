import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { lookupAllowed } from '../allowed-address.ts';
import { ConnectorError } from '../connector.ts';
import { type HttpCall, type HttpClient, type HttpResponse, LostConnectionError, sender, withRetries } from './http-client.ts';
import { mayName } from './segment-address.ts';
import { DamagedResultError, type SegmentFacts, type SpooledSegment } from './segments.ts';
import type { TrinoSettings } from './settings.ts';

/** Results that the server has stored outside of its pages. */
export interface SegmentClient {
  /** Whether the server may store results in segments. */
  readonly isUsable: boolean;
  /** Why segments are not used for some time. */
  readonly problem: string | undefined;
  pause(reason: string): void;
  load(segment: SegmentFacts & SpooledSegment, coordinator: Coordinator, signal: AbortSignal): Promise<Buffer>;
  /** Lets the server delete the segment. Does not wait. */
  acknowledge(segment: SpooledSegment, coordinator: Coordinator): void;
  close(): void;
}

/** The server that named a segment. */
export interface Coordinator {
  /** Its own names for itself, which need not be the address that it is reached at. */
  readonly origins: ReadonlySet<string>;
  /** The address that it is reached at. */
  readonly address: string;
}

/** The storage cannot be reached from here; the result can be read by way of the coordinator. */
export class UnreachableSegmentError extends Error {}

const pauseMs = 10 * 60_000;
const acknowledgeMs = 10_000;
const mostRedirects = 3;
const mostAttempts = 3;
const mostHosts = 100;

export function createSegmentClient(settings: TrinoSettings, coordinatorClient: HttpClient): SegmentClient {
  const { connectTimeoutMs } = settings;
  const senders = new Map<string, HttpClient>();
  let paused = { until: 0, reason: '' };
  // the storage has certificates of its own, which are always checked
  const tls = settings.tls === false || settings.tls.ca === undefined ? {} : { ca: [...rootCertificates, settings.tls.ca] };

  /** Only the coordinator gets the credentials of the connection, and at the address of the connection alone. */
  function send(url: URL, coordinator: Coordinator, call: Omit<HttpCall, 'path'>): Promise<HttpResponse> {
    const path = url.pathname + url.search;
    if (url.origin === originOf(settings) || coordinator.origins.has(url.origin))
      return coordinatorClient.call({ ...call, path });
    checkAddress(url, coordinator, settings);
    return withRetries(() => senderOf(url, coordinator).call({ ...call, path }), call.signal);
  }

  function senderOf(url: URL, { address }: Coordinator): HttpClient {
    const key = `${url.origin} ${address}`;
    const known = senders.get(key);
    if (known !== undefined) return known;
    const secure = url.protocol === 'https:';
    const created = sender(
      { host: hostOf(url), port: portOf(url) },
      {
        tls: secure ? tls : false,
        connectTimeoutMs,
        ...(settings.segmentHosts === undefined ? { lookup: lookupAllowed((each) => mayName(address, each), refusal) } : {}),
      },
    );
    for (const [oldest, each] of senders) {
      if (senders.size < mostHosts) break;
      senders.delete(oldest);
      each.close();
    }
    senders.set(key, created);
    return created;
  }

  /** Follows redirects: a coordinator may send us on to the storage or to a worker. */
  async function get(
    uri: string,
    coordinator: Coordinator,
    call: Omit<HttpCall, 'path' | 'method'>,
  ): Promise<HttpResponse & { url: URL }> {
    let url = urlOf(uri);
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const reply = await send(url, coordinator, { ...call, method: 'GET' });
      const { location } = reply.headers;
      if (reply.status < 300 || reply.status >= 400 || location === undefined) return { ...reply, url };
      url = urlOf(location, url);
    }
    throw new DamagedResultError(`A segment at ${url.origin} is redirected again and again.`);
  }

  async function loadOnce(
    { uri, headers, segmentSize }: SegmentFacts & SpooledSegment,
    coordinator: Coordinator,
    signal: AbortSignal,
  ) {
    const sent = { 'accept-encoding': 'identity', ...sendable(headers) };
    // an error page may be larger than the segment
    const mostBytes = Math.max(segmentSize, 64 * 1024);
    const { status, body, url } = await get(uri, coordinator, { headers: sent, mostBytes, signal });
    if (status === 200) return body;
    if (status === 404 || status === 410) {
      const message = `A part of the result is no longer stored at ${url.origin} (status ${status}): it expired or was deleted. Run the query again.`;
      throw new ConnectorError('failed', message);
    }
    throw new UnreachableSegmentError(`${url.origin} responded with ${status} to the request for a part of the result.`);
  }

  return {
    get isUsable() {
      return settings.spooling && this.problem === undefined;
    },
    get problem() {
      return performance.now() < paused.until ? paused.reason : undefined;
    },
    pause(reason) {
      paused = { until: performance.now() + pauseMs, reason };
    },
    async load(segment, coordinator, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await loadOnce(segment, coordinator, signal);
        } catch (error) {
          if (!(error instanceof LostConnectionError) || signal.aborted) throw error;
          if (attempt === mostAttempts) throw new UnreachableSegmentError(error.message, { cause: error });
          await sleep(100 * attempt, undefined, { signal });
        }
      }
    },
    acknowledge({ ackUri, headers }, coordinator) {
      const signal = AbortSignal.timeout(acknowledgeMs);
      get(ackUri, coordinator, { headers: sendable(headers), mostBytes: 64 * 1024, signal }).catch(() => {}); // the server deletes it later
    },
    close() {
      for (const each of senders.values()) each.close();
    },
  };
}

const originOf = ({ host, port, tls }: TrinoSettings): string =>
  urlOf(`${tls === false ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;

const portOf = ({ port, protocol }: URL): number => Number(port) || (protocol === 'https:' ? 443 : 80);

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function urlOf(uri: string, base?: URL): URL {
  const url = URL.parse(uri, base?.href);
  if (url === null) throw new DamagedResultError('A segment has an address that is none.');
  return url;
}

/** Throws UnreachableSegmentError where the storage may not be at this address. */
function checkAddress(url: URL, { address }: Coordinator, { tls, segmentHosts }: TrinoSettings): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && tls === false))
    throw new UnreachableSegmentError(`A part of the result is at ${url.protocol}//${url.host}, and this connection uses TLS.`);
  const host = hostOf(url);
  const isAllowed =
    segmentHosts === undefined
      ? isIP(host) === 0 || mayName(address, host) // names are checked when they are resolved
      : segmentHosts.includes(url.hostname) || segmentHosts.includes(`${url.hostname}:${portOf(url)}`);
  if (!isAllowed) throw new UnreachableSegmentError(refusal(url.host));
}

const refusal = (host: string): string =>
  `A part of the result is at ${host}, where this connection may not load it from. Name the host in the setting segmentHosts.`;

/** Without those that belong to a connection rather than to a request. */
function sendable(headers: SpooledSegment['headers']): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) => (ofConnection.test(name) ? [] : [[name.toLowerCase(), [...values]]])),
  );
}

const ofConnection = /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;
