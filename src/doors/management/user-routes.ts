import { z } from 'zod';
import type { Users } from '../../administration/users/users.ts';
import { idParams, listResponse, listQuery, listRequest, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

const userResponse = z.object({
  id: z.string(),
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  roles: z.array(z.string()).readonly().describe('Names of the roles held.'),
  databases: z.array(z.string()).readonly().describe('Names of the databases in scope; `*` alone means all.'),
  expiresAt: timeOrNever.describe('When the account expires; null: never.'),
  disabled: z.boolean(),
  external: z
    .boolean()
    .describe('Signs in through OpenID Connect: has no password here, and gets name, roles and databases at each sign-in.'),
  createdAt: time,
  version: z.number().int().describe('Incremented by every change; also the ETag, for If-Match.'),
});

const names = z.array(z.string().max(300)).max(1000);
const changeBody = z.object({
  username: z.string().optional().describe('1 to 100 characters, no colon; unique ignoring case.'),
  password: z.string().optional().describe('At least 12 characters, without the user name. Never shown.'),
  fullName: z.string().optional().describe('At most 200 characters.'),
  email: z.string().optional(),
  roles: names.optional().describe('Names of roles. Empty: the user has no permissions.'),
  databases: names.optional().describe('Names of databases, or `["*"]` for all. Empty: the user sees no data.'),
  expiresAt: z
    .string()
    .nullable()
    .optional()
    .describe(
      'ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account expires immediately.',
    ),
  disabled: z.boolean().optional(),
});
const replaceBody = changeBody.required({ username: true });
const newBody = changeBody.required({ username: true, password: true });

const shared = { tag: 'Users', needs: 'users.manage' } as const;
const one = { ...shared, path: '/users/:id', params: idParams, visibleWith: ['users.manage'] } as const;

export function userRoutes(users: Users): readonly ManagementRoute[] {
  return [
    managementRoute({
      ...shared,
      method: 'GET',
      path: '/users',
      summary: 'All users, by name',
      query: listQuery,
      response: listResponse(userResponse),
      keys: 'whole',
      handle: ({ query }) => users.list(listRequest(query)),
    }),
    managementRoute({
      ...shared,
      method: 'POST',
      path: '/users',
      summary: 'Create a user; without roles and databases they see nothing',
      body: newBody,
      response: userResponse,
      created: true,
      keys: 'none',
      action: 'user.create',
      handle: ({ principal, body, draft }) => users.create(principal, body, draft),
    }),
    managementRoute({
      ...one,
      method: 'GET',
      summary: 'One user',
      response: userResponse,
      keys: 'whole',
      handle: ({ params }) => users.get(params.id),
    }),
    managementRoute({
      ...one,
      method: 'PUT',
      summary: 'Replace a user; a password left out stays unchanged',
      body: replaceBody,
      response: userResponse,
      keys: 'none',
      action: 'user.update',
      handle: ({ principal, params, body, ifMatch, draft }) => users.replace(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...one,
      method: 'PATCH',
      summary: 'Change the fields given',
      body: changeBody,
      response: userResponse,
      keys: 'none',
      action: 'user.update',
      handle: ({ principal, params, body, ifMatch, draft }) => users.change(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      ...one,
      method: 'DELETE',
      summary: 'Delete a user with their keys and sessions',
      response: null,
      keys: 'none',
      action: 'user.delete',
      handle: ({ principal, params, ifMatch, draft }) => users.remove(principal, params.id, ifMatch, draft),
    }),
  ];
}
