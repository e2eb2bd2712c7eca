import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import type { Roles } from '../../administration/users/roles.ts';
import { idParams, listResponse, listQuery, listRequest } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

const onlyManagers = 'Only shown to users who manage users.';
const roleResponse = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(z.enum(permissions)).readonly().optional().describe(onlyManagers),
  version: z.number().int().optional().describe(`Incremented by every change; also the ETag, for If-Match. ${onlyManagers}`),
  builtIn: z.boolean().optional().describe(`True for Administrator, which cannot be changed or deleted. ${onlyManagers}`),
});

const roleBody = z.object({
  name: z.string().describe('1 to 100 characters, unique ignoring case.'),
  permissions: z.array(z.enum(permissions)).max(100).describe('Its permissions. Nobody can grant a permission that they lack.'),
});

const tag = 'Roles';
const shared = { tag, needs: 'users.manage' } as const;
const one = { ...shared, path: '/roles/:id', params: idParams, visibleWith: ['users.manage', 'queries.author'] } as const;

export function roleRoutes(roles: Roles): readonly ManagementRoute[] {
  return [
    managementRoute({
      tag,
      method: 'GET',
      path: '/roles',
      summary: 'All roles by name, for users who manage users or write queries',
      query: listQuery,
      response: listResponse(roleResponse),
      keys: 'whole',
      handle: ({ principal, query }) => roles.list(principal, listRequest(query)),
    }),
    managementRoute({
      ...shared,
      method: 'POST',
      path: '/roles',
      summary: 'Create a role',
      body: roleBody,
      response: roleResponse,
      created: true,
      keys: 'none',
      action: 'role.create',
      handle: ({ principal, body, draft }) => roles.create(principal, body, draft),
    }),
    managementRoute({
      tag,
      method: 'GET',
      path: '/roles/:id',
      summary: 'One role, for users who manage users or write queries',
      params: idParams,
      response: roleResponse,
      keys: 'whole',
      handle: ({ principal, params }) => roles.get(principal, params.id),
    }),
    managementRoute({
      ...one,
      method: 'PUT',
      summary: 'Replace a role; applies to its holders immediately',
      body: roleBody,
      response: roleResponse,
      keys: 'none',
      action: 'role.update',
      handle: ({ principal, params, body, ifMatch, draft }) => roles.change(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...one,
      method: 'PATCH',
      summary: 'Change fields of a role; applies to its holders immediately',
      body: roleBody.partial(),
      response: roleResponse,
      keys: 'none',
      action: 'role.update',
      handle: ({ principal, params, body, ifMatch, draft }) => roles.change(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...one,
      method: 'DELETE',
      summary: 'Delete a role that nobody holds and no query names',
      response: null,
      keys: 'none',
      action: 'role.delete',
      handle: ({ principal, params, ifMatch, draft }) => roles.remove(principal, params.id, ifMatch, draft),
    }),
  ];
}
