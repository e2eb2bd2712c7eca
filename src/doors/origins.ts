import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

export interface Origins {
  /** For requests that a browser may send in someone's name: cookie calls, sign-in, /mcp. No Origin header means no browser. */
  allows(request: FastifyRequest): boolean;
  /** Whether a page of that Origin may call REST from a browser (CORS). */
  isKnown(origin: string): boolean;
}

/** `baseUrl` and the loopback names on our port are always allowed, what the settings name as well; `Origin: null` never. */
export function createOrigins(config: Config, baseUrl: string, port: () => number): Origins {
  const base = new URL(baseUrl);
  const loopbackHosts = (): string[] => ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port()}`);
  const knownHost = (host: string): boolean => {
    const named = host.toLowerCase();
    if (named === base.host || loopbackHosts().includes(named)) return true;
    const name = named.replace(/:\d+$/, '');
    return (
      config.allowedHosts.some((each) => each.toLowerCase() === named || each.toLowerCase() === name) ||
      isOriginHost(config, named)
    );
  };
  const isKnown = (origin: string): boolean => {
    if (origin === base.origin || config.allowedOrigins.includes(origin)) return true;
    return loopbackHosts().some((host) => origin === `http://${host}` || origin === `https://${host}`);
  };
  return {
    isKnown,
    allows: (request) => {
      const { origin, host } = request.headers;
      if (host === undefined || !knownHost(host)) return false;
      return origin === undefined || isKnown(origin);
    },
  };
}

const isOriginHost = (config: Config, host: string): boolean =>
  config.allowedOrigins.some((origin) => URL.canParse(origin) && new URL(origin).host === host);
