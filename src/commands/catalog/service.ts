import { ConfigError } from '../../config/config.ts';

/** A problem response of the service. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly message: string; readonly line?: number }[];
}

export type ServiceResponse<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** A GET without a body, a POST with one. */
export type CallService = <T>(path: string, body?: unknown) => Promise<ServiceResponse<T>>;

/** Calls a service with an API key. `url` may have a path. */
export function connectService(url: string, key: string): CallService {
  const base = parseUrl(url);
  // fetch would print it
  if (!/^[\x21-\x7E]+$/.test(key)) throw new ConfigError('the API key must be one line of letters, digits and signs');
  return async (path, body) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      headers: { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      redirect: 'manual', // another host must not get the key
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new ConfigError(`cannot reach ${base}: ${reasonOf(error)}`);
    });
    const location = response.headers.get('location');
    if (location !== null) throw new ConfigError(`${base} redirects to ${location}${adviceFor(location, path)}`);
    const text = await response.text().catch((error: unknown) => {
      throw new ConfigError(`lost the connection to ${base}: ${reasonOf(error)}`);
    });
    try {
      const json = JSON.parse(text);
      if (response.ok) return { ok: true, value: json };
      const { code = '', detail = '', errors = [] } = json;
      const advice = code === 'not_found' ? notHere(base) : detail;
      return { ok: false, refusal: { code, detail: advice, errors } };
    } catch {
      throw new ConfigError(`${base} does not respond as Sluice does (status ${response.status})`);
    }
  };
}

function parseUrl(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new ConfigError(`not an address of a service: ${url}`);
  const { username, password, search, hash } = new URL(url);
  if (username + password + search + hash !== '')
    throw new ConfigError('the address of a service has no user name, no password, and nothing after ? or #');
  return url.replace(/(?<!\/)\/+$/, '');
}

const notHere = (base: string): string => `there is no such route below ${base}; set --url to the address of the web interface`;

/** How to follow a redirect that keeps the path. */
function adviceFor(location: string, path: string): string {
  const end = `/api/v1${path}`;
  return /^https?:/.test(location) && location.endsWith(end) ? `; set --url to ${location.slice(0, -end.length)}` : '';
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
};
