import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import type { Roles } from '../../administration/roles.ts';
import { type ManagementRoute, managementRoute } from '../management-route.ts';
import { idParams, listAnswer, listQuery, listRequest } from './list-query.ts';

const roleAnswer = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(z.enum(permissions)).readonly(),
  version: z.number().int().describe('Grows with every change; also the ETag, for If-Match.'),
  builtIn: z.boolean().describe('True for Administrator, which can be neither changed nor deleted.'),
});

const roleBody = z.object({
  name: z.string().describe('1 to 100 characters; unique, whatever the case.'),
  permissions: z
    .array(z.enum(permissions))
    .max(100)
    .describe('What its holders may do. Nobody can give a permission that they lack.'),
});

const shared = { tag: 'Roles', needs: 'users.manage' } as const;

export function roleRoutes(roles: Roles): readonly ManagementRoute[] {
  return [
    managementRoute({
      ...shared,
      method: 'GET',
      path: '/roles',
      summary: 'All roles, by name',
      query: listQuery,
      answer: listAnswer(roleAnswer),
      keys: 'whole',
      handle: ({ query }) => roles.list(listRequest(query)),
    }),
    managementRoute({
      ...shared,
      method: 'POST',
      path: '/roles',
      summary: 'Create a role',
      body: roleBody,
      answer: roleAnswer,
      created: true,
      keys: 'none',
      action: 'role.create',
      handle: ({ principal, body, draft }) => roles.create(principal, body, draft),
    }),
    managementRoute({
      ...shared,
      method: 'GET',
      path: '/roles/:id',
      summary: 'One role',
      params: idParams,
      answer: roleAnswer,
      keys: 'whole',
      handle: ({ params }) => roles.get(params.id),
    }),
    managementRoute({
      ...shared,
      method: 'PUT',
      path: '/roles/:id',
      summary: 'Replace a role; it counts for its holders at once',
      params: idParams,
      body: roleBody,
      answer: roleAnswer,
      keys: 'none',
      action: 'role.update',
      handle: ({ principal, params, body, ifMatch, draft }) => roles.change(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...shared,
      method: 'PATCH',
      path: '/roles/:id',
      summary: 'Change the fields given; it counts for its holders at once',
      params: idParams,
      body: roleBody.partial(),
      answer: roleAnswer,
      keys: 'none',
      action: 'role.update',
      handle: ({ principal, params, body, ifMatch, draft }) => roles.change(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...shared,
      method: 'DELETE',
      path: '/roles/:id',
      summary: 'Delete a role that nobody holds and no query names',
      params: idParams,
      answer: null,
      keys: 'none',
      action: 'role.delete',
      handle: ({ principal, params, ifMatch, draft }) => roles.remove(principal, params.id, ifMatch, draft),
    }),
  ];
}
