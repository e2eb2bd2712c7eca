import { errorCode } from '../../core/error-code.ts';

/** The object store failed, was not reachable, or refused. The message names the store and the cause, for operators only. */
export class ObjectStoreError extends Error {
  readonly isRefusal: boolean; // the store responded, and repeating the request does not help
  constructor(place: string, cause: unknown) {
    super(`The object store ${place} cannot be used: ${reasonOf(cause)}`, { cause });
    this.name = 'ObjectStoreError';
    const status = statusOf(cause);
    this.isRefusal = status >= 400 && status < 500 && status !== 429;
  }
}

/** The client's errors are named after the code of the response (AccessDenied); their messages have no credentials. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AggregateError && cause.message === '') return [...new Set(cause.errors.map(reasonOf))].join(', ');
  const name = errorCode(cause) ?? cause.name;
  const text = cause.message === '' || cause.message === 'UnknownError' ? '' : cause.message.replace(/\s+/g, ' ');
  if (text.includes(name) || name === 'Error') return text || name;
  return text === '' ? name : `${name}: ${text}`;
}

function statusOf(cause: unknown): number {
  const metadata: unknown = cause instanceof Error && '$metadata' in cause ? cause.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return 0;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : 0;
}
