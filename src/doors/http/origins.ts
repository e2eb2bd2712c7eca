import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Failure } from '../../core/errors.ts';

export interface Origins {
  /**
   * For requests that a browser may send on behalf of a user: calls with the cookie, sign-in, /mcp. Null: allowed. No Origin
   * header means that the caller is not a browser.
   */
  refusalOf(request: FastifyRequest): Failure | null;
  /** Whether pages of this Origin may call REST (CORS). */
  isKnown(origin: string): boolean;
}

/** Always allows `baseUrl` and the loopback names on the service's port, and whatever the settings list; never `Origin: null`. */
export function createOrigins(config: Config, baseUrl: string, port: () => number): Origins {
  const own = [new URL(baseUrl).origin, ...loopbackOrigins(port())];
  const origins = new Set([...own, ...config.allowedOrigins]);
  const hosts = new Set([...origins].filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin).host));
  if (config.baseUrl !== null) hosts.add(new URL(config.baseUrl).hostname); // proxies often drop the port: $host of nginx
  const named = new Set(config.allowedHosts.map((each) => each.toLowerCase()));
  const isKnownHost = (sent: string): boolean => {
    const host = sent.toLowerCase();
    return hosts.has(host) || named.has(host) || named.has(host.replace(/:\d+$/, '')); // without a port, any port matches
  };
  const isKnown = (origin: string): boolean => origins.has(origin);
  return {
    isKnown,
    refusalOf: ({ headers: { origin, host = '' } }) => {
      if (!isKnownHost(host)) return { kind: 'OriginNotAllowed', host };
      return origin === undefined || isKnown(origin) ? null : { kind: 'OriginNotAllowed' };
    },
  };
}

/** Request methods and headers that pages may use, and response headers that they may read. */
type CorsHeaders = Readonly<Record<'methods' | 'headers' | 'exposed', string>>;

/** Lets pages of an allowed Origin read the response; a preflight request also asks for methods and headers. */
export function allowOrigin(request: FastifyRequest, reply: FastifyReply, { methods, headers, exposed }: CorsHeaders): void {
  reply.header('Access-Control-Allow-Origin', request.headers.origin);
  reply.header('Vary', 'Origin');
  reply.header('Access-Control-Expose-Headers', exposed);
  if (request.method !== 'OPTIONS') return;
  reply.header('Access-Control-Allow-Methods', methods);
  reply.header('Access-Control-Allow-Headers', headers);
  reply.header('Access-Control-Max-Age', '600');
}

/** Normalizes origins as browsers send them: without the default port of the scheme. */
const loopbackOrigins = (port: number): readonly string[] =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) =>
    ['http', 'https'].map((scheme) => new URL(`${scheme}://${name}:${port}`).origin),
  );
