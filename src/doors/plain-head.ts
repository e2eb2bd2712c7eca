import type { IncomingHttpHeaders } from 'node:http';

export interface PlainHead {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bodyLength: number;
}

/**
 * The head of a POST, without the empty line behind it, where it is as plain as can be. Null for whatever says more than a plain call does or
 * might be read in two ways (a name twice, another framing than a length, a byte that is not visible): that is for the server's own parser.
 */
export function plainHead(text: string): PlainHead | null {
  if (!VISIBLE.test(text)) return null;
  const [first = '', ...lines] = text.split('\r\n');
  const path = REQUEST.exec(first)?.[1];
  if (path === undefined) return null;
  const headers: IncomingHttpHeaders = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!TOKEN.test(name) || NOT_PLAIN.has(name) || name in headers || LINE_BREAK.test(line)) return null;
    headers[name] = line.slice(colon + 1).trim();
  }
  const { host = '', connection = 'keep-alive', 'content-type': type, 'content-length': length = '' } = headers;
  if (host === '' || type !== 'application/json' || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length))
    return null;
  return { path, headers, bodyLength: Number(length) };
}

const REQUEST = /^POST (\/[\w/]*) HTTP\/1\.1$/;
const VISIBLE = /^[\t\r\n\x20-\x7e]*$/;
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;
const LINE_BREAK = /[\r\n]/; // half of one
const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
const NOT_PLAIN: ReadonlySet<string> = new Set([
  ...['transfer-encoding', 'content-encoding', 'expect', 'upgrade', 'trailer', 'te'],
  'proxy-connection', // which the server's parser takes for another Connection
  ...['origin', 'cookie'], // of browsers
]);
