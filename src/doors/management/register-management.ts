import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import { has, type Principal } from '../../access/principal.ts';
import { failed, type Failure, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import { admit, type AdmitParts } from '../../pipeline/admit.ts';
import type { Call } from '../../pipeline/call.ts';
import { STREAM_BYTES } from '../../pipeline/limits/unsent-bytes.ts';
import { type AuditCall, type AuditDraft, createDraft, readUnaudited } from '../../pipeline/steps/audit-call.ts';
import { callOf, credentialOf, forgeryOf, jsonTypesOf } from '../http/call-of.ts';
import { bodyStream, contentCodingOf, MIN_COMPRESSED_BYTES, varyByCoding } from '../http/content-coding.ts';
import { sendFailure } from '../http/failure-response.ts';
import type { Origins } from '../http/origins.ts';
import { pathValue } from '../input/fields.ts';
import { readJsonObject } from '../input/json.ts';
import { parseInput } from '../input/parse-input.ts';
import { type FileResponse, type ManagementRoute, isWritten, operationOf, paramsOf, successStatus } from './management-route.ts';

export interface ManagementParts extends AdmitParts {
  readonly auditCall: AuditCall;
  readonly origins: Origins;
}

/** Registers declared routes: admit → permission → form → use-case → response. Changes are audited. */
export function registerManagement(app: FastifyInstance, routes: readonly ManagementRoute[], parts: ManagementParts): void {
  for (const route of routes) {
    app.route({
      method: route.method,
      url: `/api/v1${route.path}`,
      config: { operation: operationOf(route) },
      ...(route.largeBody === true ? { bodyLimit: LARGE_BODY, preParsing: checkBeforeBody(route, parts) } : {}),
      handler: (request, reply) => serve(route, parts, request, reply),
    });
  }
}

const LARGE_BODY = 32 << 20;

/** Reads a large body only from callers who may send one; for others the route refuses the call without it. */
const checkBeforeBody =
  (route: ManagementRoute, { authenticate }: ManagementParts): preParsingAsyncHookHandler =>
  async (request, _reply, payload) => {
    const { headers, server } = request;
    if (Number(headers['content-length']) <= (server.initialConfig.bodyLimit ?? 0)) return payload;
    // the route itself reports why it cannot be checked
    const principal = await authenticate(credentialOf(request, { cookie: true }), request.ip).catch(() => null);
    if (principal?.ok === true && refusalOf(route, principal.value) === null) return payload;
    delete request.raw.headers['content-length'];
    return Readable.from([], { objectMode: false });
  };

async function serve(route: ManagementRoute, parts: ManagementParts, request: FastifyRequest, reply: FastifyReply) {
  const call = callOf(request, reply, 'management', { cookie: true });
  const forgery = route.method === 'GET' ? null : forgeryOf(request, call, parts.origins);
  if (forgery !== null) return sendFailure(request, reply, forgery);
  const work = async (draft: AuditDraft) => {
    const handled = await handle(route, parts, request, reply, call, draft);
    if (!handled.ok) return handled;
    const response = responseOf(handled.value);
    // responses to changes are never rejected for unsent bytes
    if (route.method !== 'GET' || draft.principal === null) return succeeded(response);
    const sendable = parts.unsent.open(call, draft.principal).claim(response.json?.length ?? STREAM_BYTES);
    return sendable.ok ? succeeded(response) : sendable;
  };
  const result =
    route.action === undefined
      ? await readUnaudited(parts.auditCall, call, () => work(createDraft(call, '')))
      : await parts.auditCall(call, route.action, work);
  if (!result.ok) return sendFailure(request, reply, result.failure);
  return sendResponse(route, request, reply, result.value);
}

/** The result of a use-case, encoded as JSON unless it is a file. */
const responseOf = (value: unknown) => ({ value, json: isFile(value) ? null : (JSON.stringify(value) ?? '') });
type ManagementResponse = ReturnType<typeof responseOf>;

async function handle(
  route: ManagementRoute,
  parts: ManagementParts,
  request: FastifyRequest,
  reply: FastifyReply,
  call: Call,
  draft: AuditDraft,
) {
  draft.status = successStatus(route);
  const form = (principal: Principal) => readInput(route, request, call, principal);
  const admitted = await admit(parts, { call, form, isChange: route.method !== 'GET' }, draft);
  if (!admitted.ok) return admitted;
  const http = { request: request.raw, response: reply.raw };
  return route.handle({ principal: admitted.value.principal, ...admitted.value.form, call, draft, http });
}

function readInput(route: ManagementRoute, request: FastifyRequest, call: Call, principal: Principal) {
  const refusal = refusalOf(route, principal);
  if (refusal !== null) return failed(refusal);
  const params = parseInput(paramsOf(route) ?? nothingSent, request.params);
  if (!params.ok) return params;
  const query = parseInput(route.query ?? nothingSent, withoutEmpty(request.query));
  if (!query.ok) return query;
  const json = readBody(route, request, call);
  if (!json.ok) return json;
  const body = parseInput(route.body ?? nothingSent, json.value, isWritten(route) ? route.response : null);
  if (!body.ok) return body;
  const ifMatch = readIfMatch(request);
  if (!ifMatch.ok) return ifMatch;
  return succeeded({
    id: pathValue(params.value, 'id'),
    params: params.value,
    query: query.value,
    body: body.value,
    ifMatch: ifMatch.value,
  });
}

/** In a query string, an empty value counts as absent. */
const withoutEmpty = (query: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, value === '' ? undefined : value]));

function refusalOf(route: ManagementRoute, principal: Principal): Failure | null {
  const { authentication } = principal;
  if (authentication.kind === 'viewer' || authentication.kind === 'grant') return { kind: 'CredentialNotSuitable' };
  if (authentication.kind === 'key' && (route.keys === 'none' || (route.keys === 'whole' && authentication.queries !== null))) {
    return { kind: 'CredentialNotSuitable' };
  }
  if (route.needs === undefined || has(principal, route.needs)) return null;
  const isHidden = route.visibleWith !== undefined && !route.visibleWith.some((permission) => has(principal, permission));
  return isHidden ? { kind: 'NotFound', what: 'such resource' } : { kind: 'PermissionDenied', permission: route.needs };
}

const nothingSent = z.object({});

/** A cross-site form would send the cookie: with it, the content type counts even if no body is read. */
function readBody(route: ManagementRoute, request: FastifyRequest, call: Call): Result<Readonly<Record<string, unknown>>> {
  const takesNone = route.body === undefined;
  const isEmpty = !Buffer.isBuffer(request.body) || request.body.length === 0;
  if (takesNone && isEmpty && call.credential.kind !== 'session') return succeeded({});
  return readJsonObject(request, jsonTypesOf(call), takesNone || route.bodyOptional === true);
}

/** Accepts `3`, `"3"` and `W/"3"`; `*` and a missing header match any version. */
function readIfMatch(request: FastifyRequest): Result<number | undefined> {
  const header = request.headers['if-match'];
  if (header === undefined || header === '' || header === '*') return succeeded(undefined);
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header)?.[1];
  return version === undefined
    ? failed(fieldInvalid('If-Match', 'Expected the version of the resource, such as "3".'))
    : succeeded(Number(version));
}

function sendResponse(route: ManagementRoute, request: FastifyRequest, reply: FastifyReply, { value, json }: ManagementResponse) {
  reply.header('Cache-Control', 'no-store');
  if (route.response === null) return reply.code(204).send();
  if (isFile(value)) {
    const { contentType, name, body } = value.file;
    if (name !== undefined) reply.header('Content-Disposition', `attachment; filename="${name}"`);
    return reply.type(contentType).send(Readable.from(body));
  }
  const tag = tagOf(value, route.method !== 'GET');
  if (tag !== null) reply.header('ETag', `"${tag}"`);
  reply.code(successStatus(route)).type('application/json; charset=utf-8');
  const text = json ?? '';
  return route.compressed === true ? sendCompressed(text, request, reply) : reply.send(text);
}

function sendCompressed(json: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  varyByCoding(reply);
  const coding = json.length < MIN_COMPRESSED_BYTES ? null : contentCodingOf(request.headers['accept-encoding']);
  if (coding === null) return reply.send(json);
  return reply.header('Content-Encoding', coding).send(bodyStream([Buffer.from(json)], coding));
}

/** The version for the next If-Match; after a change, that of the draft if there is one. */
function tagOf(value: unknown, afterChange: boolean): string | null {
  if (typeof value !== 'object' || value === null || !('version' in value)) return null;
  return (afterChange && 'draft' in value ? tagOf(value.draft, false) : null) ?? String(value.version);
}

const isFile = (value: unknown): value is FileResponse => typeof value === 'object' && value !== null && 'file' in value;
