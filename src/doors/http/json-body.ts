import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { failed, type Result, succeeded } from '../../errors.ts';

const MAX_DEPTH = 20;
const BYTE_ORDER_MARK = 0xfeff;

/** Parses the JSON body on demand, because the credential is checked first. */
export function readJson(request: FastifyRequest): Result<unknown> {
  if (!isJson(request)) return failed({ kind: 'MediaTypeUnsupported' });
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return failed({ kind: 'BodyInvalid', reason: 'it is empty; expected a JSON object.' });
  if (!isUtf8(bytes)) return failed({ kind: 'BodyInvalid', reason: 'it is not UTF-8.' });
  const text = bytes.toString('utf8');
  return parseJson(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
}

/** For routes whose fields are all optional: no body, and no content type other than JSON. */
export const hasNoBody = (request: FastifyRequest): boolean =>
  (request.headers['content-type'] === undefined || isJson(request)) &&
  (request.body === undefined || (Buffer.isBuffer(request.body) && request.body.length === 0));

export function parseJson(text: string): Result<unknown> {
  if (deeperThan(text, MAX_DEPTH)) return failed({ kind: 'BodyInvalid', reason: `it nests deeper than ${MAX_DEPTH} levels.` });
  try {
    // a reviver makes parsing several times slower, and most bodies do not need it
    return succeeded(mayHaveDigitsToKeep.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text));
  } catch (error) {
    return failed({ kind: 'BodyInvalid', reason: `it is not JSON (${syntaxError(error)}).` });
  }
}

export function isJson({ headers }: FastifyRequest): boolean {
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return true;
  const [type, ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters
    .map((each) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(each)?.[1])
    .find((each) => each !== undefined);
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  return type?.trim() === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8') && isPlain;
}

// the rest of the message quotes the body, which may contain a password or a key
const syntaxError = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (\.\.\.)?".*$/s, '') : 'syntax error';

const mayHaveDigitsToKeep = /"(?:@[^"]*|value)"\s*:\s*-?\d|\\/i; // an escape may be part of a name

// keeps the digits of parameter values sent as numbers: 12345678901234567890 must not be rounded
function keepDigits(key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const isParameterValue = key.startsWith('@') || key.toLowerCase() === 'value';
  return isParameterValue ? (context?.source ?? String(value)) : value;
}

function deeperThan(text: string, most: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > most) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
