import { type Operation, type Parts, requestOf } from '../../app/api.ts';
import { KEY_VARIABLE } from './key-variable.ts';

export interface HttpCall {
  readonly method: string;
  readonly url: string; // absolute: http://host/path?query
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Stands for that variable in a header; each language has its own syntax. */
export const keyFromVariable = `$${KEY_VARIABLE}`;

/** A call with an API key instead of the session cookie. */
export function callWithKey(operation: Operation, parts: Parts, key: string, baseUrl: string): HttpCall {
  const { method, path, headers, body } = requestOf(operation, parts);
  return { method, url: baseUrl + path, headers: { 'X-API-Key': key, ...headers }, body };
}

/** For a POSIX shell. */
export function curlOf({ method, url, headers, body }: HttpCall): string {
  const parts = [
    method === 'GET' ? `curl ${quoteForShell(url)}` : `curl -X ${method} ${quoteForShell(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${header(name, value)}`),
    ...(body === null ? [] : [`-d ${quoteForShell(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** In double quotes, the shell expands the variable. */
const header = (name: string, value: string): string =>
  value === keyFromVariable ? `"${name}: ${value}"` : quoteForShell(`${name}: ${value}`);

export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
