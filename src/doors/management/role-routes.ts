import { z } from 'zod';
import type { Roles } from '../../administration/users/roles.ts';
import { nameSchemas, permission } from '../http/operation.ts';
import { listQuery, listRequest, listResponse } from './list-query.ts';
import { changeFailures, type ManagementRoute, routesOf } from './management-route.ts';

const onlyManagers = 'Only shown to users who manage users.';
const roleResponse = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(permission).readonly().optional().describe(onlyManagers),
  version: z.number().int().optional().describe(`Incremented by every change; also the ETag, for If-Match. ${onlyManagers}`),
  builtIn: z.boolean().optional().describe(`True for Administrator, which cannot be changed or deleted. ${onlyManagers}`),
  canGrant: z.boolean().optional().describe(`Whether you may give it to users. ${onlyManagers}`),
  canEdit: z.boolean().optional().describe(`Whether you may change or delete it. ${onlyManagers}`),
});

const roleBody = z.object({
  name: z.string().describe('1 to 100 characters, unique ignoring case.'),
  permissions: z.array(permission).max(100).describe('Its permissions. Nobody can grant a permission that they lack.'),
});

const roleChange = roleBody.partial();

nameSchemas({ Role: roleResponse, NewRole: roleBody, RoleChange: roleChange });

const shared = { tag: 'Roles', needs: 'users.manage', keys: 'none' } as const;
const readRoute = routesOf({ tag: 'Roles', keys: 'whole' }); // the use-case checks the permission
const createRoute = routesOf(shared);
const changeRoute = routesOf({ ...shared, visibleWith: ['users.manage', 'queries.author'] });

export function roleRoutes(roles: Roles): readonly ManagementRoute[] {
  return [
    readRoute('GET', '/roles', 'All roles by name, for users who manage users or write queries', {
      id: 'listRoles',
      query: listQuery,
      response: listResponse(roleResponse),
      failures: ['PermissionDenied'],
      handle: ({ principal, query }) => roles.list(principal, listRequest(query)),
    }),
    createRoute('POST', '/roles', 'Create a role', {
      id: 'createRole',
      body: roleBody,
      response: roleResponse,
      created: true,
      action: 'role.create',
      failures: ['NameTaken'],
      example: { body: { name: 'Analyst', permissions: ['queries.run', 'embeds.create'] } },
      handle: ({ principal, body, draft }) => roles.create(principal, body, draft),
    }),
    readRoute('GET', '/roles/:id', 'One role, for users who manage users or write queries', {
      id: 'getRole',
      response: roleResponse,
      handle: ({ principal, id }) => roles.get(principal, id),
    }),
    changeRoute('PUT', '/roles/:id', 'Replace a role; applies to its holders immediately', {
      id: 'replaceRole',
      body: roleBody,
      response: roleResponse,
      action: 'role.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => roles.change(principal, id, body, ifMatch, draft),
    }),
    changeRoute('PATCH', '/roles/:id', 'Change fields of a role; applies to its holders immediately', {
      id: 'changeRole',
      body: roleChange,
      response: roleResponse,
      action: 'role.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => roles.change(principal, id, body, ifMatch, draft),
    }),
    changeRoute('DELETE', '/roles/:id', 'Delete a role that nobody holds and no query names', {
      id: 'deleteRole',
      response: null,
      action: 'role.delete',
      failures: ['StateConflict', 'InUse', 'VersionConflict'],
      handle: ({ principal, id, ifMatch, draft }) => roles.remove(principal, id, ifMatch, draft),
    }),
  ];
}
