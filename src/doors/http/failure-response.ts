import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { redactKeys } from '../../access/api-key.ts';
import { failureTable, type Failure } from '../../core/errors.ts';
import { explain } from '../../core/explain.ts';

/** Responses are never cached: they depend on the rights of the caller. */
export const sendJson = (reply: FastifyReply, value: unknown): FastifyReply =>
  reply.header('Cache-Control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(value));

/** Converts a Failure to an HTTP response (RFC 9457). Causes are logged under the same request id. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  startFailure(request, reply, failure);
  for (const header of bodyHeaders) reply.removeHeader(header);
  if (failure.kind === 'MethodNotAllowed') reply.header('Allow', failure.allow.join(', '));
  if (failure.kind === 'RangeInvalid') reply.header('Content-Range', `bytes */${failure.size}`);
  if (failure.kind === 'CredentialMissing' && !isFromBrowser(request)) reply.header('WWW-Authenticate', BASIC_CHALLENGE);
  const body = JSON.stringify(problemOf(failure, request.id));
  return reply.header('Cache-Control', 'no-store').type('application/problem+json; charset=utf-8').send(body);
}

export const BASIC_CHALLENGE = 'Basic realm="Sluice", charset="UTF-8"';

/** Headers of a body that failed before its first byte was sent. */
const bodyHeaders = ['Content-Encoding', 'Content-Disposition', 'Content-Range', 'Accept-Ranges', 'ETag', 'Last-Modified'];

/** Logs the failure and sets the status of the response. */
export function startFailure(request: FastifyRequest, reply: FastifyReply, failure: Failure): void {
  const { status } = failureTable[failure.kind];
  logFailure(request, failure);
  if ('retryAfterSeconds' in failure) reply.header('Retry-After', String(failure.retryAfterSeconds));
  else if (status === 503) reply.header('Retry-After', '1');
  reply.code(status);
}

/** RFC 9457, as application/problem+json. */
export const problem = z
  .object({
    type: z.string().describe('`urn:sluice:problem:` and the code.'),
    title: z.string().describe('The meaning of the code.'),
    status: z.number().int().min(400).max(599).describe('The HTTP status.'),
    detail: z.string().describe('What went wrong and what to do.'),
    code: z.string().describe('The stable error code, for programs.'),
    requestId: z.string().describe('The id of the request in the audit trail and in the log.'),
    errors: z
      .array(
        z.object({
          field: z.string().describe('The path in the body, the header, or the parameter.'),
          code: z.string().describe('The error code of this field.'),
          message: z.string(),
          line: z.number().int().optional().describe('In SQL.'),
          column: z.number().int().optional().describe('In SQL.'),
        }),
      )
      .readonly()
      .optional()
      .describe('The fields that are wrong.'),
  })
  .readonly();
export type Problem = z.output<typeof problem>;

/** API keys are redacted, because callers may send one in the wrong field. */
export function problemOf(failure: Failure, requestId: string): Problem {
  const { code, status, title } = failureTable[failure.kind];
  const errors = fieldErrors(failure, code).map((each) => ({
    ...each,
    field: redactKeys(each.field),
    message: redactKeys(each.message),
  }));
  return {
    type: `urn:sluice:problem:${code}`,
    title,
    status,
    detail: redactKeys(explain(failure, requestId)),
    code,
    requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
}

type FieldError = NonNullable<Problem['errors']>[number];

function fieldErrors(failure: Failure, code: string): readonly FieldError[] {
  switch (failure.kind) {
    case 'FieldUnknown':
    case 'ParameterUnknown':
    case 'ParameterBound':
    case 'FieldMissing':
    case 'FieldInvalid':
    case 'ParameterInvalid':
      return failure.problems.map(({ field, kind = failure.kind, ...problem }) => ({
        field,
        code: failureTable[kind].code,
        ...problem,
      }));
    case 'BreakingChange':
      return failure.changes.map((change) => ({ ...change, code }));
    case 'SqlInvalid': {
      const { field = 'sql', message, line, column } = failure;
      return [{ field, code, message, line, column }];
    }
    default:
      return [];
  }
}

/** Causes appear in the log only. */
export function logFailure(request: FastifyRequest, failure: Failure): void {
  const detail = logDetail(failure);
  if (detail === null) return;
  const { status } = failureTable[failure.kind];
  const level = failure.kind === 'Internal' ? 'error' : status >= 500 && failure.kind !== 'QueryCancelled' ? 'warn' : 'info';
  request.log[level]({ requestId: request.id, failure: failure.kind, ...detail }, failureTable[failure.kind].title);
}

function logDetail(failure: Failure): Record<string, unknown> | null {
  if ('cause' in failure) return { err: failure.cause };
  return failure.kind === 'SnapshotIncomplete' ? { reason: failure.reason } : null;
}

// browsers respond to WWW-Authenticate with a password dialog over the sign-in page (they omit Sec-Fetch headers over plain http
// to other hosts)
const isFromBrowser = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-mode'] !== undefined || headers['user-agent']?.startsWith('Mozilla/') === true;
