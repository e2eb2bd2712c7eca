import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ATTEMPT_SECONDS, toLocalPath } from '../../access/oidc.ts';
import { SESSION_COOKIE } from '../../access/session.ts';
import type { OidcSignIn } from '../../administration/sign-in/oidc-sign-in.ts';
import { type Failure, failureTable } from '../../core/errors.ts';
import { createCallLimit } from '../../pipeline/limits/call-limit.ts';
import { type BasePath, removeBasePath } from '../http/base-path.ts';
import { cookieOf, createAnonymousCall } from '../http/call-of.ts';
import { logFailure, problem, sendFailure } from '../http/failure-response.ts';
import { nameSchemas, type Operation } from '../http/operation.ts';

export interface OidcParts {
  readonly oidc: OidcSignIn | null; // null: local accounts only
  readonly basePath: BasePath;
  readonly baseUrl: () => string;
  readonly cookieOptions: (request: FastifyRequest) => CookieSerializeOptions;
}

const ATTEMPT_COOKIE = 'sluice_oidc';
const START = '/api/v1/session/oidc';
const CALLBACK = `${START}/callback`;

const optionsResponse = z.object({
  company: z
    .object({ name: z.string(), url: z.string().describe('The URL for the browser; accepts `?next=/path`.') })
    .nullable()
    .describe('OpenID Connect sign-in; null: user name and password only.'),
});
nameSchemas({ SignInOptions: optionsResponse });

const shared = { tag: 'Session', credentials: [] } as const;
const redirects = {
  responses: {
    302: { description: 'To the next page; errors are reported as `/sign-in?problem=…`.' },
    default: { description: 'Any other failure.', content: { 'application/problem+json': problem } },
  },
  failures: ['NotFound'],
} as const;

const optionsOperation: Operation = {
  ...shared,
  id: 'getSignInOptions',
  summary: 'The available ways to sign in',
  responses: { 200: optionsResponse },
  failures: [],
};
const startOperation: Operation = {
  ...shared,
  ...redirects,
  id: 'startOidcSignIn',
  summary: 'Sign in through OpenID Connect: redirects to the provider',
  query: z.object({ next: z.string().optional().describe('The page to show after the sign-in.') }),
};
const callbackOperation: Operation = {
  ...shared,
  ...redirects,
  id: 'finishOidcSignIn',
  summary: 'The callback of the provider: sets the session cookie',
};

const none: Failure = { kind: 'NotFound', what: 'OpenID Connect sign-in here' };

/** Sign-in through OpenID Connect: redirect and callback. The values to match are kept in a sealed cookie. */
export function registerOidcRoutes(app: FastifyInstance, { oidc, basePath, baseUrl, cookieOptions }: OidcParts): void {
  const attemptOptions = (request: FastifyRequest) => ({ ...cookieOptions(request), path: basePath + START });
  // failed sign-ins are unauthenticated and unlimited: only the first ones of each minute are logged
  const secondsToWait = createCallLimit();
  const isLogged = (): boolean => secondsToWait('failed sign-ins', LINES_PER_MINUTE, Date.now()) === 0;

  app.get('/api/v1/session/options', { config: { operation: optionsOperation } }, async (_request, reply) => {
    // absolute, because the callback and its cookie need the same host
    const found = oidc === null ? null : { name: oidc.name, url: baseUrl() + START };
    return reply.header('Cache-Control', 'no-store').send({ company: found });
  });

  app.get<{ Querystring: { next?: unknown } }>(START, { config: { operation: startOperation } }, async (request, reply) => {
    if (oidc === null) return sendFailure(request, reply, none);
    const { next: sent } = request.query;
    const next = toLocalPath(typeof sent === 'string' ? removeBasePath(basePath, sent) : sent);
    const begun = await oidc.begin(createAnonymousCall(request, reply, 'ui'), { next, redirectUri: baseUrl() + CALLBACK });
    if (!begun.ok) return sendProblem(request, reply, begun.failure, { basePath, next, isLogged: isLogged() });
    const { url, attempt } = begun.value;
    reply.setCookie(ATTEMPT_COOKIE, attempt, { ...attemptOptions(request), maxAge: ATTEMPT_SECONDS });
    return redirectTo(reply, url);
  });

  app.get(CALLBACK, { config: { operation: callbackOperation } }, async (request, reply) => {
    if (oidc === null) return sendFailure(request, reply, none);
    const callback = {
      callbackUrl: new URL(baseUrl() + CALLBACK + new URL(request.url, baseUrl()).search),
      attempt: cookieOf(request, ATTEMPT_COOKIE),
      previous: cookieOf(request, SESSION_COOKIE),
    };
    const signedIn = await oidc.finish(createAnonymousCall(request, reply, 'ui'), callback);
    reply.clearCookie(ATTEMPT_COOKIE, attemptOptions(request));
    if (!signedIn.ok) return sendProblem(request, reply, signedIn.failure, { basePath, next: '/', isLogged: isLogged() });
    const { sessionId, next } = signedIn.value;
    reply.setCookie(SESSION_COOKIE, sessionId, cookieOptions(request));
    return redirectTo(reply, basePath + next);
  });
}

const LINES_PER_MINUTE = 60;

/** Passes an error code, not a sentence: otherwise links could show any text in our name. */
function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  failure: Failure,
  { basePath, next, isLogged }: { basePath: BasePath; next: string; isLogged: boolean },
): FastifyReply {
  if (isLogged) logFailure(request, failure);
  const search = new URLSearchParams({
    problem: failureTable[failure.kind].code,
    ...(next === '/' ? {} : { next: basePath + next }),
  });
  return redirectTo(reply, `${basePath}/sign-in?${search}`);
}

const redirectTo = (reply: FastifyReply, url: string): FastifyReply =>
  reply.header('Cache-Control', 'no-store').redirect(url, 302);
