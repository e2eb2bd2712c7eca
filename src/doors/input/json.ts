import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { failed, type FieldProblem, inputRefused, type Result, succeeded } from '../../core/errors.ts';
import { isObject } from './fields.ts';

const BYTE_ORDER_MARK = 0xfeff;

/** Which content types are accepted: a session cookie needs `application/json`, which another site cannot send without a preflight request. */
export type JsonTypes = 'json' | 'any json';

/** Parses the JSON body on demand, because the credential is checked first. */
export function readJson(request: FastifyRequest, types: JsonTypes = 'json', options: JsonOptions = {}): Result<unknown> {
  if (!isJson(request, types)) return failed({ kind: 'MediaTypeUnsupported' });
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return failed({ kind: 'BodyInvalid', reason: 'it is empty; expected a JSON object.' });
  if (!isUtf8(bytes)) return failed({ kind: 'BodyInvalid', reason: 'it is not UTF-8.' });
  const text = bytes.toString('utf8');
  return parseJson(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text, options);
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

export function isJson({ headers }: FastifyRequest, types: JsonTypes = 'json'): boolean {
  const sent = headers['content-type'];
  if (sent === 'application/json' && headers['content-encoding'] === undefined) return true;
  const isPlain = headers['content-encoding'] === undefined || headers['content-encoding'] === 'identity';
  if (sent === undefined) return types === 'any json' && isPlain;
  const [type = '', ...parameters] = sent.toLowerCase().split(';');
  const charset = parameters.map(charsetOf).find((each) => each !== undefined);
  const isAccepted =
    types === 'json' ? type.trim() === 'application/json' : /^(?:application\/(?:.+\+)?|text\/)json$/.test(type.trim());
  return isAccepted && (charset === undefined || charset === 'utf-8' || charset === 'utf8') && isPlain;
}

function charsetOf(parameter: string): string | undefined {
  const equals = parameter.indexOf('=');
  if (parameter.slice(0, equals).trim() !== 'charset') return undefined;
  return parameter
    .slice(equals + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1');
}

const MAX_DEPTH = 20;
const MAX_REPEATED = 100; // names that are reported

export interface JsonOptions {
  /** The text is a list or an object of parameter values. */
  readonly isParameters?: boolean;
  /** The text is a message to the AI gateway, whose tools and forms may have parameter values beside other numbers. */
  readonly isMessage?: boolean;
  /** Most objects, lists, names and numbers in parameter values, which take far longer than their length suggests. */
  readonly maxParts?: number;
}

/**
 * Parses JSON from a caller: one pass over the text, then `JSON.parse`. A reviver would see the digits of numbers, too, but takes
 * fifty times as long as `JSON.parse`.
 */
export function parseJson(
  text: string,
  { isParameters = false, isMessage = false, maxParts = Number.POSITIVE_INFINITY }: JsonOptions = {},
): Result<unknown> {
  const { json, repeated, problem } = scan(text, { isParameters, isMessage, maxParts });
  if (problem !== null) return failed({ kind: 'BodyInvalid', reason: problem });
  try {
    const value: unknown = JSON.parse(json);
    return repeated.size === 0 ? succeeded(value) : failed(inputRefused([...repeated].map(repeatedNameProblem)));
  } catch (error) {
    return failed({ kind: 'BodyInvalid', reason: `it is not JSON (${json === text ? syntaxError(error) : 'syntax error'}).` });
  }
}

// the rest of the message quotes the body, which may contain a password or a key
const syntaxError = (error: unknown): string =>
  error instanceof SyntaxError ? error.message.replace(/, (?:\.\.\.)?".*$/s, '') : 'syntax error';

const repeatedNameProblem = (name: string): FieldProblem => ({
  kind: name.startsWith('@') ? 'ParameterInvalid' : 'FieldInvalid',
  field: name.slice(0, 128),
  message: 'It is sent twice. Send it once.',
});

interface Scanned {
  readonly json: string; // with the numbers of parameter values as strings where JavaScript may write them differently
  readonly repeated: ReadonlySet<string>; // names that an object has twice; parsing silently keeps the last
  readonly problem: string | null;
}

/** Which numbers become text: those that JavaScript may write differently, only those with more digits than it keeps, or none. */
type Kept = 'spelling' | 'digits' | 'none';

/** An object or a list that is not closed yet. */
interface Container {
  readonly names: Set<string> | null; // null: a list
  readonly members: Kept; // of this object
  next: Kept; // of the value that comes next
  nextMembers: Kept; // of the members of that value
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const LOWER_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Accepts any text: `JSON.parse` finds out whether it is JSON. */
function scan(text: string, { isParameters, isMessage, maxParts }: Required<JsonOptions>): Scanned {
  const repeated = new Set<string>();
  let quoted: QuotedNumbers | null = null;
  const containers: Container[] = [];
  let within: Container = { names: null, members: 'none', next: 'none', nextMembers: isParameters ? 'spelling' : 'none' };
  let isName = false; // the next string is a name
  let parts = 0;

  for (let i = 0; i < text.length && parts <= maxParts; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = endOfString(text, i);
      if (isName) {
        readName(within, text.slice(i, end + 1), repeated, isMessage);
        parts++;
        isName = false;
      }
      i = end;
    } else if (code === COMMA) {
      isName = within.names !== null;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (containers.length === MAX_DEPTH) return refuseText(`it nests deeper than ${MAX_DEPTH} levels.`);
      containers.push(within);
      parts++;
      isName = code === OPEN_OBJECT;
      within = isName
        ? { names: new Set(), members: within.nextMembers, next: 'none', nextMembers: 'none' }
        : { names: null, members: 'none', next: within.next, nextMembers: 'none' };
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      within = containers.pop() ?? within;
      isName = false;
    } else if (within.next !== 'none' && !isName && (isDigit(code) || code === MINUS)) {
      const end = endOfNumber(text, i);
      if (within.next === 'digits' ? isLong(i, end) : isInexact(text, i, end)) (quoted ??= new QuotedNumbers(text)).quote(i, end); // 12345678901234567890 must not be rounded
      parts++;
      i = Math.max(i, end - 1);
    }
  }
  if (parts > maxParts) return refuseText(`it has more than ${maxParts} objects, lists, names and numbers in parameter values.`);
  return { json: quoted?.finish() ?? text, repeated, problem: null };
}

const refuseText = (problem: string): Scanned => ({ json: '', repeated: new Set(), problem });

const SHORT = 64;

/** The position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i++;
    else if (i - start === SHORT) {
      const end = text.indexOf('"', i); // much faster in long strings without escapes
      if (end < 0 || !text.slice(i, end).includes('\\')) return end < 0 ? text.length : end;
    }
  }
  return text.length;
}

function readName(within: Container, token: string, repeated: Set<string>, isMessage: boolean): void {
  const name = token.includes('\\') ? unescapeToken(token) : token.slice(1, -1);
  if (within.names?.has(name) && repeated.size < MAX_REPEATED) repeated.add(name);
  within.names?.add(name);
  within.next = name.startsWith('@') || isNamed(name, 'value') ? 'spelling' : within.members;
  if (isNamed(name, 'parameters') || isNamed(name, 'values')) within.nextMembers = 'spelling';
  else within.nextMembers = isMessage && (name === 'arguments' || name === 'content') ? 'digits' : 'none';
}

const isNamed = (name: string, expected: string): boolean => name.length === expected.length && name.toLowerCase() === expected;

function unescapeToken(token: string): string {
  try {
    return JSON.parse(token);
  } catch {
    return token; // not JSON, so that the whole text is not
  }
}

/** The end of the longest number here. If more follows, the text is not JSON, with or without quotes. */
function endOfNumber(text: string, start: number): number {
  const whole = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let end = text.charCodeAt(whole) === ZERO ? whole + 1 : endOfDigits(text, whole);
  if (end === whole) return start;
  if (text.charCodeAt(end) === DOT) end = endOfDigits(text, end + 1, end);
  if (!isExponent(text.charCodeAt(end))) return end;
  return endOfDigits(text, isSign(text.charCodeAt(end + 1)) ? end + 2 : end + 1, end);
}

/** `none`: the result if there are no digits. */
function endOfDigits(text: string, start: number, none = start): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end === start ? none : end;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;
const isExponent = (code: number): boolean => code === UPPER_E || code === LOWER_E;
const isSign = (code: number): boolean => code === PLUS || code === MINUS;

const EXACT_DIGITS = 15;

/** Whether JavaScript may write a number differently than the caller did: not if it is a short whole one. */
const isInexact = (text: string, start: number, end: number): boolean =>
  end > start && (isLong(start, end) || endOfDigits(text, start) !== end);

const isLong = (start: number, end: number): boolean => end - start > EXACT_DIGITS;

/** A copy of a text with quotes around some of its numbers, at a quarter of the time that joining parts takes. */
class QuotedNumbers {
  readonly #text: string;
  readonly #codes: Uint16Array<ArrayBuffer>;
  #length = 0;
  #copied = 0; // characters of the text

  constructor(text: string) {
    this.#text = text;
    this.#codes = new Uint16Array(3 * text.length);
  }

  quote(start: number, end: number): void {
    this.#copyTo(start);
    this.#codes[this.#length++] = QUOTE;
    this.#copyTo(end);
    this.#codes[this.#length++] = QUOTE;
  }

  finish(): string {
    this.#copyTo(this.#text.length);
    return Buffer.from(this.#codes.buffer, 0, 2 * this.#length).toString('utf16le');
  }

  #copyTo(end: number): void {
    while (this.#copied < end) this.#codes[this.#length++] = this.#text.charCodeAt(this.#copied++);
  }
}
