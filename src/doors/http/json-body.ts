import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { isObject } from '../input/fields.ts';
import { type JsonOptions, parseJson } from '../input/parse-json.ts';

const BYTE_ORDER_MARK = 0xfeff;

/** Which content types are accepted: a session cookie needs `application/json`, which another site cannot send unasked. */
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
