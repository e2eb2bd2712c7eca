import { type Operation, type Parts, requestOf } from '../../app/api.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string; // whole: http://host/path?query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Where a copied call finds the key that it does not carry itself. */
export const KEY_VARIABLE = 'SLUICE_API_KEY';

/** The value of a header that is to be read from there; each language writes it its own way. */
export const keyFromVariable = `$${KEY_VARIABLE}`;

/** A call of the service as others make it: with a key in place of our cookie. */
export function callWithKey(
  operation: Operation,
  parts: Parts = {},
  key = keyFromVariable,
  baseUrl = window.location.origin,
): HttpCall {
  const { method, path, headers, body } = requestOf(operation, parts);
  return { method, url: baseUrl + path, headers: { 'X-API-Key': key, ...headers }, body };
}

/** For a POSIX shell. */
export function curlOf({ method, url, headers, body }: HttpCall): string {
  const parts = [
    method === 'GET' ? `curl ${quoted(url)}` : `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${header(name, value)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** In double quotes the shell puts the variable's value in. */
const header = (name: string, value: string): string =>
  value === keyFromVariable ? `"${name}: ${value}"` : quoted(`${name}: ${value}`);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
