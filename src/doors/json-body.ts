import type { FastifyRequest } from 'fastify';
import { failed, type Result, succeeded } from '../errors.ts';

const DEEPEST = 20;

/** The JSON of a request, read when it is asked for (the credential comes first), so that the server itself parses nothing. */
export function readJson(request: FastifyRequest): Result<unknown> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return failed({ kind: 'MediaTypeUnsupported' });
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return failed({ kind: 'BodyInvalid', reason: 'it is empty; a JSON object is expected.' });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return failed({ kind: 'BodyInvalid', reason: 'it is not UTF-8.' });
  }
  if (deeperThan(text, DEEPEST)) return failed({ kind: 'BodyInvalid', reason: `it nests deeper than ${DEEPEST} levels.` });
  try {
    return succeeded(JSON.parse(text, keepDigits));
  } catch (error) {
    return failed({
      kind: 'BodyInvalid',
      reason: `it is not JSON (${error instanceof Error ? error.message : 'syntax error'}).`,
    });
  }
}

// A parameter value sent as a number becomes its own text: 12345678901234567890 must not be rounded on the way in.
function keepDigits(key: string, value: unknown, context?: { source?: string }): unknown {
  const isParameterValue = key === 'Value' || key === 'value' || key.startsWith('@');
  return typeof value === 'number' && isParameterValue ? (context?.source ?? String(value)) : value;
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
