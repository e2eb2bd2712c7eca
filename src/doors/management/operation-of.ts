import { z } from 'zod';
import { definedFields } from '../../core/defined-fields.ts';
import type { Failure } from '../../core/errors.ts';
import {
  anyCredential,
  bodyFailures,
  credentialFailures,
  formFailures,
  type Operation,
  type ResponseBody,
} from '../http/operation.ts';
import { idParams } from './list-query.ts';
import type { ManagementRoute } from './management-route.ts';

/** What the OpenAPI document says about a route. */
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
    ...(route.keys === 'all' ? [] : (['CredentialNotSuitable'] as const)),
    ...(isRefused ? (['PermissionDenied'] as const) : []),
    ...(visibleWith === undefined && paramsOf(route) === undefined ? [] : (['NotFound'] as const)),
    ...(route.body === undefined ? formFailures : bodyFailures),
    ...(route.failures ?? []),
  ];
}
