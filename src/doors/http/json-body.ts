import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { type Failure, type FieldProblem, failed, inputRefused, type Result, succeeded } from '../../errors.ts';
import { isObject } from '../input/fields.ts';

const MAX_DEPTH = 20;
const BYTE_ORDER_MARK = 0xfeff;

/** Which content types are accepted: a session cookie needs `application/json`, which another site cannot send unasked. */
export type JsonTypes = 'json' | 'any json';

/** Parses the JSON body on demand, because the credential is checked first. */
export function readJson(request: FastifyRequest, types: JsonTypes = 'json'): Result<unknown> {
  if (!isJson(request, types)) return failed({ kind: 'MediaTypeUnsupported' });
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return failed({ kind: 'BodyInvalid', reason: 'it is empty; expected a JSON object.' });
  if (!isUtf8(bytes)) return failed({ kind: 'BodyInvalid', reason: 'it is not UTF-8.' });
  const text = bytes.toString('utf8');
  return parseJson(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
}

/** The same for a body that must be an object. Without a body it has no fields, if none is required. */
export function readJsonObject(
  request: FastifyRequest,
  types: JsonTypes,
  isOptional = false,
): Result<Readonly<Record<string, unknown>>> {
  if (isOptional && hasNoBody(request, types)) return succeeded({});
  const json = readJson(request, types);
  if (!json.ok) return json;
  const { value } = json;
  return isObject(value) ? succeeded(value) : failed({ kind: 'BodyInvalid', reason: 'a JSON object is expected.' });
}

/** No body, and no content type other than JSON. */
const hasNoBody = (request: FastifyRequest, types: JsonTypes): boolean =>
  (request.headers['content-type'] === undefined || isJson(request, types)) &&
  (request.body === undefined || (Buffer.isBuffer(request.body) && request.body.length === 0));

/** `isParameters`: the text is a list or an object of parameter values. */
export function parseJson(text: string, { isParameters = false } = {}): Result<unknown> {
  const scanned = scan(text);
  if (scanned.depth > MAX_DEPTH) return failed({ kind: 'BodyInvalid', reason: `it nests deeper than ${MAX_DEPTH} levels.` });
  try {
    // a reviver makes parsing several times slower, and most bodies do not need it
    const value: unknown = hasUnusualNumbers.test(text)
      ? withDigits(JSON.parse(text, keepSource), isParameters)
      : JSON.parse(text);
    return namesIn(value) === scanned.names ? succeeded(value) : failed(repeatedNames(text));
  } catch (error) {
    return failed({ kind: 'BodyInvalid', reason: `it is not JSON (${syntaxError(error)}).` });
  }
}

export function isJson({ headers }: FastifyRequest, types: JsonTypes = 'json'): boolean {
  const sent = headers['content-type'];
  if (sent === 'application/json' && headers['content-encoding'] === undefined) return true;
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  if (sent === undefined) return types === 'any json' && isPlain;
  const [type = '', ...parameters] = sent.toLowerCase().split(';');
  const charset = parameters
    .map((each) => /^\s*charset\s*=\s*"?([^"]*)"?\s*$/.exec(each)?.[1])
    .find((each) => each !== undefined);
  const isAccepted =
    types === 'json' ? type.trim() === 'application/json' : /^(?:application\/(?:.+\+)?|text\/)json$/.test(type.trim());
  return isAccepted && (charset === undefined || charset === 'utf-8' || charset === 'utf8') && isPlain;
}

// the rest of the message quotes the body, which may contain a password or a key
const syntaxError = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (\.\.\.)?".*$/s, '') : 'syntax error';

// numbers that JavaScript may write differently than the caller did
const hasUnusualNumbers = /[:,[]\s*(?:-0|-?\d{16}|-?\d+[.eE])/;

/** The text of a number that parsing would change. */
class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const keepSource = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    ? new Digits(context.source)
    : value;

/**
 * Keeps the digits of parameter values: 12345678901234567890 must not be rounded. Other numbers are read as usual.
 * `isParameters`: the members of this object are parameter values.
 */
function withDigits(value: unknown, isParameters: boolean, isValue = false): unknown {
  if (value instanceof Digits) return isValue ? value.text : Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  const isList = Array.isArray(value);
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'object') continue;
    const isMemberValue = isList ? isValue : isParameters || key.startsWith('@') || key.toLowerCase() === 'value';
    const replaced = withDigits(each, !isList && /^(?:parameters|values)$/i.test(key), isMemberValue);
    if (replaced !== each) Object.defineProperty(value, key, { value: replaced }); // the key may be __proto__
  }
  return value;
}

/** The depth of nesting, and the number of names in all objects: one for each colon outside of a string. */
function scan(text: string): { readonly depth: number; readonly names: number } {
  let depth = 0;
  let deepest = 0;
  let names = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x3a) names++;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest && ++deepest > MAX_DEPTH) break;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return { depth: deepest, names };
}

/** Parsing silently keeps the last of repeated names, so there are fewer than in the text. */
function namesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let names = 0;
  if (Array.isArray(value)) for (const each of value) names += namesIn(each);
  else for (const each of Object.values(value)) names += 1 + namesIn(each);
  return names;
}

/** Names the fields that an object of this JSON has twice. */
function repeatedNames(json: string): Failure {
  const repeated = new Map<string, FieldProblem>();
  const objects: (Set<string> | null)[] = []; // null: an array
  let isName = false; // whether the next string is a name
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === '{' || token === '[') {
      objects.push(token === '{' ? new Set() : null);
      isName = token === '{';
    } else if (token === '}' || token === ']') {
      objects.pop();
      isName = false;
    } else if (token === ',') {
      isName = objects.at(-1) !== null;
    } else if (token !== ':' && isName) {
      isName = false;
      const name: string = JSON.parse(token);
      const names = objects.at(-1);
      const kind = name.startsWith('@') ? 'ParameterInvalid' : 'FieldInvalid';
      if (names?.has(name)) repeated.set(name, { kind, field: name.slice(0, 128), message: 'It is sent twice. Send it once.' });
      names?.add(name);
    }
  }
  return inputRefused([...repeated.values()].slice(0, 100));
}
