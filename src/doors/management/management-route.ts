import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Permission } from '../../access/permission.ts';
import type { Principal } from '../../access/principal.ts';
import type { Action } from '../../audit/audit-entry.ts';
import { definedFields } from '../../core/defined-fields.ts';
import type { Failure, Result } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { AuditDraft } from '../../pipeline/steps/audit-call.ts';
import {
  type Example,
  type Tag,
  anyCredential,
  bodyFailures,
  credentialFailures,
  formFailures,
  type Operation,
  type ResponseBody,
} from '../http/operation.ts';
import { idParams } from './list-query.ts';

/** A declarative route of the management interface, read by the server, the OpenAPI document and the tests. */
export interface ManagementRoute<Params = unknown, Query = unknown, Body = unknown, Response = unknown> {
  readonly id: string; // the name of the method in generated clients, e.g. 'listUsers'
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string; // below /api/v1, e.g. '/users/:id'
  readonly tag: Tag;
  readonly summary: string;
  readonly params?: z.ZodType<Params>; // of a path with more than `:id`
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly bodyOptional?: true; // a missing body is read as {}
  readonly largeBody?: true; // up to 32 MiB, for callers who have the permission that it needs
  readonly response: z.ZodType<Response> | null; // null: 204 without a body
  readonly created?: true; // 201 instead of 200
  readonly files?: readonly string[]; // media types of responses that are files instead
  /**
   * Allows compression, for long JSON. Not for responses with secrets, nor for those that mix text of strangers with
   * confidential text: the compressed size would leak information.
   */
  readonly compressed?: true;
  /** The required permission (403 without it). Left out: any authenticated caller; the use-case decides what they see. */
  readonly needs?: Permission;
  /** Callers that have neither `needs` nor any of these get 404 instead of 403. */
  readonly visibleWith?: readonly Permission[];
  /** Which API keys may call it: none, those not restricted to queries, or all. */
  readonly keys: 'none' | 'whole' | 'all';
  /** The action in the audit trail ('user.create'). Every change has one; most reads have none. */
  readonly action?: Action;
  /** Failures beside those that follow from the other fields. With VersionConflict, the route reads If-Match. */
  readonly failures?: readonly Failure['kind'][];
  readonly example?: Example;
  readonly handle: (input: ManagementInput<Params, Query, Body>) => Promise<Result<NoInfer<Response> | FileResponse>>;
}

/** A streamed response: a download named `name`, or without a name a body such as encoded JSON. */
export interface FileResponse {
  readonly file: {
    readonly contentType: string;
    readonly name?: string;
    readonly body: AsyncIterable<string> | Iterable<string>;
  };
}

/** JSON that is already encoded. */
export const encodedJson = (json: string): FileResponse => ({
  file: { contentType: 'application/json; charset=utf-8', body: [json] },
});

export interface ManagementInput<Params, Query, Body> {
  readonly principal: Principal;
  readonly id: string; // of `:id` in the path
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly ifMatch: number | undefined; // version in If-Match
  readonly call: Call;
  /** The audit entry: set `query`, `queryVersion` and `parameters` (details of the change, never secrets). */
  readonly draft: AuditDraft;
  /** For cookies of the authorization server. */
  readonly http: { readonly request: IncomingMessage; readonly response: ServerResponse };
}

/** Properties that the routes of a file share; a route may override them. */
type Shared = Pick<ManagementRoute, 'tag' | 'keys' | 'needs' | 'visibleWith'>;

type Rest<Params, Query, Body, Response> = Omit<
  ManagementRoute<Params, Query, Body, Response>,
  'method' | 'path' | 'summary' | 'tag' | 'keys'
> &
  Partial<Shared>;

/** Declares routes. Each is checked by its types; lists hold routes of different types. */
export const routesOf =
  (shared: Shared) =>
  <Params, Query, Body, Response>(
    method: ManagementRoute['method'],
    path: string,
    summary: string,
    route: Rest<Params, Query, Body, Response>,
  ): ManagementRoute =>
    ({ ...shared, method, path, summary, ...route }) as unknown as ManagementRoute;

export const changeFailures: readonly Failure['kind'][] = ['PermissionDenied', 'NameTaken', 'StateConflict', 'VersionConflict'];

/** Failures of a request of an author to a database. */
export const authorFailures: readonly Failure['kind'][] = [
  'SqlInvalid',
  'QueryTimedOut',
  'QueryCancelled',
  'DatabaseUnavailable',
];

export function operationOf(route: ManagementRoute): Operation {
  const { id, tag, summary, query, bodyOptional, example } = route;
  const failures = failuresOf(route);
  return definedFields({
    id,
    tag,
    summary,
    credentials: route.keys === 'none' ? (['basic', 'session'] as const) : anyCredential,
    params: paramsOf(route),
    query,
    headers: failures.includes('VersionConflict') ? conditional : undefined,
    body: describeBody(route),
    bodyOptional,
    responses: { [successStatus(route)]: successOf(route) },
    failures,
    example,
  });
}

export const paramsOf = ({ path, params }: ManagementRoute): z.ZodType | undefined =>
  params ?? (path.includes('/:id') ? idParams : undefined);

/** Whether the body is a resource, or a part of one. */
export const isWritten = ({ method, created }: ManagementRoute): boolean =>
  created === true || method === 'PUT' || method === 'PATCH';

export const successStatus = (route: ManagementRoute): number =>
  route.response === null ? 204 : route.created === true ? 201 : 200;

const conditional = z.object({
  'If-Match': z
    .string()
    .optional()
    .describe('The `version` that the change is based on: refused with 412 if it is no longer the current one.'),
});

/** A resource may be sent back as it was read: the fields that cannot be changed are ignored. */
function describeBody(route: ManagementRoute): z.ZodType | undefined {
  const { body, response } = route;
  if (!isWritten(route) || !(body instanceof z.ZodObject) || !(response instanceof z.ZodObject)) return body;
  const ignored = Object.keys(response.shape).filter((name) => !(name in body.shape));
  const whole = body.extend(Object.fromEntries(ignored.map((name) => [name, z.unknown().optional().meta({ readOnly: true })])));
  z.globalRegistry.add(whole, { ...body.meta() });
  return whole;
}

function successOf({ response, created, files = [] }: ManagementRoute): ResponseBody {
  if (response === null) return { description: 'Done; no body.' };
  const hasVersion = response instanceof z.ZodObject && 'version' in response.shape;
  return {
    description: created === true ? 'Created.' : 'Success.',
    content: { 'application/json': response, ...Object.fromEntries(files.map((type) => [type, null])) },
    headers: [...(hasVersion ? (['ETag'] as const) : []), ...(files.length === 0 ? [] : (['Content-Disposition'] as const))],
  };
}

/** The failures of the steps in register-management.ts, and those of the use-case. */
function failuresOf(route: ManagementRoute): readonly Failure['kind'][] {
  const { needs, visibleWith } = route;
  const isRefused = needs !== undefined && visibleWith?.every((permission) => permission === needs) !== true;
  return [
    ...credentialFailures,
    ...(route.method === 'GET' ? (['ResponsesUnread'] as const) : (['OriginNotAllowed', 'MediaTypeUnsupported'] as const)),
    'CredentialNotSuitable', // a viewer token; most also refuse keys
    ...(isRefused ? (['PermissionDenied'] as const) : []),
    ...(visibleWith === undefined && paramsOf(route) === undefined ? [] : (['NotFound'] as const)),
    ...(route.body === undefined ? formFailures : bodyFailures),
    ...(route.failures ?? []),
  ];
}
