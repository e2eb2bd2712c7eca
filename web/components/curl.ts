import { type Operation, type Parts, requestOf } from '../app/api.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string; // whole: http://host/path?query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A call of the service as others make it: with a key in place of our cookie. */
export function callWithKey(
  operation: Operation,
  parts: Parts = {},
  key = '<API_KEY>',
  baseUrl = window.location.origin,
): HttpCall {
  const { method, path, headers, body } = requestOf(operation, parts);
  return { method, url: baseUrl + path, headers: { 'X-API-Key': key, ...headers }, body };
}

/** For a POSIX shell. */
export function curlOf({ method, url, headers, body }: HttpCall): string {
  const parts = [
    method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
