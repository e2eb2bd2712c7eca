import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';

export interface Origins {
  /** For requests that a browser may send in someone's name: cookie calls, sign-in, /mcp. No Origin header means no browser. */
  allows(request: FastifyRequest): boolean;
  /** Whether a page of that Origin may call REST from a browser (CORS). */
  isKnown(origin: string): boolean;
}

/** `baseUrl` and the loopback names on our port are always allowed, what the settings name as well; `Origin: null` never. */
export function createOrigins(config: Config, baseUrl: string, port: () => number): Origins {
  const own = [new URL(baseUrl).origin, ...loopbackOrigins(port())];
  const origins = new Set([...own, ...config.allowedOrigins]);
  const hosts = new Set([...origins].filter((origin) => URL.canParse(origin)).map((origin) => new URL(origin).host));
  const named = new Set(config.allowedHosts.map((each) => each.toLowerCase()));
  const isKnownHost = (sent: string): boolean => {
    const host = sent.toLowerCase();
    return hosts.has(host) || named.has(host) || named.has(host.replace(/:\d+$/, '')); // without a port it counts on every one
  };
  const isKnown = (origin: string): boolean => origins.has(origin);
  return {
    isKnown,
    allows: ({ headers: { origin, host } }) =>
      host !== undefined && isKnownHost(host) && (origin === undefined || isKnown(origin)),
  };
}

/** As browsers write them: without the port where the scheme implies it. */
const loopbackOrigins = (port: number): readonly string[] =>
  ['127.0.0.1', 'localhost', '[::1]'].flatMap((name) =>
    ['http', 'https'].map((scheme) => new URL(`${scheme}://${name}:${port}`).origin),
  );
