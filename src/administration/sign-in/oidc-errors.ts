const MAX_DEPTH = 3;
const MAX_LENGTH = 300;

/**
 * For the log: names and messages alone. What the library attaches (answers, tokens, claims, the code of a sign-in) stays
 * behind.
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
  plain.stack = plain.message; // where it was made says nothing
  return plain;
}

/** Nobody answered, too late, or with a trouble of their own. */
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
