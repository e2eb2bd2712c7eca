const MAX_DEPTH = 3;
const MAX_LENGTH = 300;

/**
 * For the log: names and messages only, without what the library attaches (responses, tokens, claims, the authorization code).
 */
export function redactedCause(error: unknown): Error {
  const parts: string[] = [];
  let each: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && each instanceof Error; depth++) {
    const words = [fieldOf(each, 'code'), each.message, fieldOf(each, 'error'), fieldOf(each, 'error_description')];
    parts.push(words.filter((word) => word !== '').join(' '));
    each = each.cause;
  }
  if (each instanceof Response) parts.push(`status ${each.status}`);
  const plain = new Error(parts.join(': ').slice(0, MAX_LENGTH));
  plain.stack = plain.message; // this stack would point here
  return plain;
}

/** The provider did not respond, timed out, or responded with a server error. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  if (fieldOf(error, 'code') === 'OAUTH_TIMEOUT') return true;
  const status = error.cause instanceof Response ? error.cause.status : 'status' in error ? error.status : 0;
  return typeof status === 'number' && status >= 500;
}

function fieldOf(error: Error, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}
