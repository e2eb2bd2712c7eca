import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { has, type Principal } from '../../access/principal.ts';
import { SESSION_COOKIE } from '../../access/session.ts';
import type { SignIn } from '../../administration/sign-in/sign-in.ts';
import type { Account } from '../../administration/users/account.ts';
import { isCredentialFailure } from '../../core/errors.ts';
import { type AuditCall, readUnaudited } from '../../pipeline/steps/audit-call.ts';
import type { Authenticate } from '../../pipeline/steps/authenticate.ts';
import { callOf, cookieOf, createAnonymousCall } from '../http/call-of.ts';
import { sendFailure, sendJson } from '../http/failure-response.ts';
import { anyCredential, bodyFailures, credentialFailures, formFailures, nameSchemas, type Operation } from '../http/operation.ts';
import type { Origins } from '../http/origins.ts';
import { readJson } from '../input/json.ts';
import { parseInput } from '../input/parse-input.ts';
import { accountResponse } from '../management/account-routes.ts';
import { texts } from '../management/list-query.ts';

export interface SessionParts {
  readonly signIn: SignIn;
  readonly authenticate: Authenticate;
  readonly auditCall: AuditCall;
  readonly account: Account['get'];
  readonly installation: () => Installation;
  readonly origins: Origins;
  readonly cookieOptions: (request: FastifyRequest) => CookieSerializeOptions;
}

const SIGN_IN_BYTES = 4 << 10; // parsed before anyone is authenticated
const signInBody = z.object({ username: z.string().min(1), password: z.string().min(1) });

const installation = z.object({
  edition: z.enum(['standard', 'extended']),
  mcp: z.boolean().describe('Whether the AI gateway is on.'),
  oauth: z.boolean().describe('Whether AI applications may sign people in, at `/mcp/oauth`.'),
  version: z.string(),
  baseUrl: z.string().describe('Start of links and snippets.'),
  timeZone: z.string().describe('IANA time zone of relative moments such as `today`.'),
  fileFolders: texts
    .optional()
    .describe('Folders that may contain SQLite and DuckDB files. Only shown to users who manage databases.'),
  rowsDefault: z.number().int().describe('Rows of a page if the caller sends no `RowSize`.'),
  rowsMax: z.number().int().describe('Most rows of a page, and of a chart.'),
});
/** What the pages need to know about the service. */
export type Installation = z.output<typeof installation>;

const sessionResponse = accountResponse.extend(installation.shape);

nameSchemas({ Session: sessionResponse, SignIn: signInBody });

const whoQuery = z.object({
  optional: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: 200 with `null` instead of 401 if there is no valid session. An invalid key or password stays a 401.'),
});

const signInOperation: Operation = {
  id: 'signIn',
  tag: 'Session',
  summary: 'Sign in: sets the session cookie',
  credentials: [],
  body: signInBody,
  responses: { 200: sessionResponse },
  failures: [
    ...bodyFailures,
    'OriginNotAllowed',
    'CredentialInvalid',
    'CredentialExpired',
    'CredentialRevoked',
    'TooManyAttempts',
    'Overloaded',
    'StoreUnavailable',
  ],
};
const getSessionOperation: Operation = {
  id: 'getSession',
  tag: 'Session',
  summary: 'The current user, and the features of this installation',
  credentials: anyCredential,
  query: whoQuery,
  responses: { 200: sessionResponse.nullable() },
  failures: [...credentialFailures, ...formFailures, 'CredentialNotSuitable'],
};
const signOutOperation: Operation = {
  id: 'signOut',
  tag: 'Session',
  summary: 'Sign out: ends the session of the cookie, if there is one',
  credentials: ['none', 'session'],
  responses: { 204: { description: 'Done; no body.' } },
  failures: ['OriginNotAllowed', 'StoreUnavailable'],
};

/** Sign in, current user, sign out: the routes that set cookies. */
export function registerSessionRoutes(app: FastifyInstance, parts: SessionParts): void {
  app.post('/api/v1/session', { bodyLimit: SIGN_IN_BYTES, config: { operation: signInOperation } }, async (request, reply) => {
    const refusal = parts.origins.refusalOf(request);
    if (refusal !== null) return sendFailure(request, reply, refusal);
    const json = readJson(request);
    if (!json.ok) return sendFailure(request, reply, json.failure);
    const body = parseInput(signInBody, json.value);
    if (!body.ok) return sendFailure(request, reply, body.failure);
    const previous = cookieOf(request, SESSION_COOKIE);
    const signedIn = await parts.signIn.signIn(createAnonymousCall(request, reply, 'ui'), body.value, previous);
    if (!signedIn.ok) return sendFailure(request, reply, signedIn.failure);
    reply.setCookie(SESSION_COOKIE, signedIn.value.sessionId, parts.cookieOptions(request));
    return sendAccount(parts, request, reply, signedIn.value.principal);
  });

  app.get('/api/v1/session', { config: { operation: getSessionOperation } }, async (request, reply) => {
    const query = parseInput(whoQuery, request.query);
    if (!query.ok) return sendFailure(request, reply, query.failure);
    const call = callOf(request, reply, 'ui', { cookie: true });
    const principal = await readUnaudited(parts.auditCall, call, () => parts.authenticate(call.credential, call.address));
    if (principal.ok && principal.value.authentication.kind === 'viewer')
      return sendFailure(request, reply, { kind: 'CredentialNotSuitable' });
    if (principal.ok) return sendAccount(parts, request, reply, principal.value);
    const isNobody = query.value.optional === 'true' && isCredentialFailure(principal.failure);
    if (!isNobody || !(call.credential.kind === 'none' || call.credential.kind === 'session'))
      return sendFailure(request, reply, principal.failure);
    return sendJson(reply, null);
  });

  app.delete('/api/v1/session', { config: { operation: signOutOperation } }, async (request, reply) => {
    const refusal = parts.origins.refusalOf(request);
    if (refusal !== null) return sendFailure(request, reply, refusal);
    const sessionId = cookieOf(request, SESSION_COOKIE);
    if (sessionId !== undefined) {
      const out = await parts.signIn.signOut(callOf(request, reply, 'ui', { cookie: true }), sessionId);
      if (!out.ok) return sendFailure(request, reply, out.failure);
    }
    return reply.clearCookie(SESSION_COOKIE, parts.cookieOptions(request)).code(204).send();
  });
}

async function sendAccount(parts: SessionParts, request: FastifyRequest, reply: FastifyReply, principal: Principal) {
  const account = await parts.account(principal);
  if (!account.ok) return sendFailure(request, reply, account.failure);
  return reply
    .header('Cache-Control', 'no-store')
    .send({ ...account.value, ...installationFor(principal, parts.installation()) });
}

const installationFor = (principal: Principal, { fileFolders, ...others }: Installation) => ({
  ...others,
  ...(has(principal, 'databases.manage') ? { fileFolders } : {}),
});
