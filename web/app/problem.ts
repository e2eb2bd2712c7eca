/** An error response of the service (RFC 9457), or `unreachableProblem`. */
export class Problem extends Error {
  readonly status: number; // 0: no response
  readonly code: string; // stable: `parameter_invalid`
  readonly requestId: string | null;
  readonly fields: readonly FieldError[];
  readonly retryAfterSeconds: number | null;

  constructor(about: {
    status: number;
    code: string;
    message: string;
    requestId?: string | null;
    fields?: readonly FieldError[];
    retryAfterSeconds?: number | null;
  }) {
    super(about.message);
    this.name = 'Problem';
    this.status = about.status;
    this.code = about.code;
    this.requestId = about.requestId ?? null;
    this.fields = about.fields ?? [];
    this.retryAfterSeconds = about.retryAfterSeconds ?? null;
  }
}

/** `field` is a body path (`parameters.0.name`), a header (`RowSize`) or a parameter (`@Region`). */
export interface FieldError {
  readonly field: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Converts anything thrown to a Problem. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: 0, code: 'page_failed', message: error instanceof Error ? error.message : String(error) });
}

/** Whether the same request may succeed soon: the service is starting, stopping or busy. */
export const isTransient = ({ status, code }: Problem): boolean =>
  code === 'unreachable' || status === 502 || status === 504 || (status === 503 && code !== 'database_unavailable');

/** The message without the request id, for places that show the id on its own. */
export const messageWithoutId = ({ message, requestId }: Problem): string =>
  requestId === null
    ? message
    : message.replace(` Request id ${requestId}.`, '').replace(`under request id ${requestId}`, 'under the request id below');

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export async function problemOfResponse(response: Response): Promise<Problem> {
  const body = objectOf(await response.text());
  const retryAfter = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new Problem({
    status: response.status,
    code: textOf(body.code) ?? 'unexpected_response',
    message: textOf(body.detail) ?? `The service returned ${response.status} ${response.statusText}.`,
    requestId: textOf(body.requestId) ?? response.headers.get('X-Request-Id'),
    fields: fieldsOf(body.errors),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

export const unreachableProblem = (): Problem =>
  new Problem({
    status: 0,
    code: 'unreachable',
    message: 'The service cannot be reached. It may be restarting, or your connection is down.',
  });

/** For a run whose response did not arrive. */
export const interruptedProblem = (): Problem =>
  new Problem({
    status: 0,
    code: 'interrupted',
    message: 'The connection to the service ended before the result arrived. It may have been restarted. Run the query again.',
  });

function objectOf(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function fieldsOf(errors: unknown): readonly FieldError[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isObject).map(({ field, message, line, column }) => ({
    field: textOf(field) ?? '',
    message: textOf(message) ?? 'Not valid.',
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof column === 'number' ? { column } : {}),
  }));
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
