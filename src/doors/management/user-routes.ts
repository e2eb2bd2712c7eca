import { z } from 'zod';
import type { Users } from '../../administration/users/users.ts';
import { nameSchemas, userKind } from '../http/operation.ts';
import { userAttributes } from './account-routes.ts';
import { listResponse, listQuery, listRequest, texts, time, timeOrNever } from './list-query.ts';
import { changeFailures, type ManagementRoute, routesOf } from './management-route.ts';

const userResponse = z.object({
  id: z.string(),
  kind: userKind.describe('An `application` is an account for a program: it has API keys and no password, and cannot sign in.'),
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  roles: texts.describe('Names of the roles held.'),
  databases: texts.describe('Names of the databases in scope; `*` alone means all.'),
  attributes: userAttributes.describe('Facts about the user that queries may be bound to.'),
  expiresAt: timeOrNever.describe('When the account expires; null: never.'),
  disabled: z.boolean(),
  external: z
    .boolean()
    .describe('Signs in through OpenID Connect: has no password here, and gets name, roles and databases at each sign-in.'),
  owner: z
    .string()
    .nullable()
    .describe('Of an application: the user name of the person to ask about it; null if that person was deleted.'),
  lastUsedAt: timeOrNever.describe('Of an application: when one of its keys was last used.'),
  createdAt: time,
  version: z.number().int().describe('Incremented by every change; also the ETag, for If-Match.'),
  canEdit: z.boolean().describe('Whether you may change the user.'),
  canEditRights: z.boolean().describe('Whether you may change roles, databases and expiry, too.'),
  canDelete: z.boolean(),
  lockedFields: texts.describe(
    'Fields that you may not change: those of your own identity, and those that an Active query is bound to, such as `email` or `attributes.region`.',
  ),
});

const names = z.array(z.string().max(300)).max(1000);
const changeBody = z.object({
  username: z.string().optional().describe('1 to 100 characters, no colon; unique ignoring case.'),
  password: z
    .string()
    .optional()
    .describe('At least 12 characters, without the user name. Never shown. An application has none.'),
  fullName: z.string().optional().describe('At most 200 characters.'),
  email: z.string().optional(),
  roles: names.optional().describe('Names of roles. Empty: the user has no permissions.'),
  databases: names.optional().describe('Names of databases, or `["*"]` for all. Empty: the user sees no data.'),
  attributes: userAttributes
    .optional()
    .describe(
      'Values by name, text or a list of texts. Replaces all but those from OpenID Connect; unchanged if omitted. Nobody may change their own, and only Administrators those that an Active query is bound to.',
    ),
  expiresAt: z
    .string()
    .nullish()
    .describe(
      'ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account expires immediately.',
    ),
  owner: z.string().nullish().describe('Of an application: the user name of the person to ask about it.'),
  disabled: z.boolean().optional(),
});
const replaceBody = changeBody.required({ username: true });
const newBody = replaceBody.extend({
  kind: userKind.optional().describe('`person` (the default) requires a password, `application` an owner. It cannot be changed.'),
});

nameSchemas({ User: userResponse, UserChange: changeBody, UserReplacement: replaceBody, NewUser: newBody });

const shared = { tag: 'Users', needs: 'users.manage', keys: 'none' } as const;
const allRoute = routesOf(shared);
const oneRoute = routesOf({ ...shared, visibleWith: ['users.manage'] });

export function userRoutes(users: Users): readonly ManagementRoute[] {
  return [
    allRoute('GET', '/users', 'All users, by name', {
      id: 'listUsers',
      query: listQuery,
      response: listResponse(userResponse),
      keys: 'whole',
      handle: ({ principal, query }) => users.list(principal, listRequest(query)),
    }),
    allRoute('POST', '/users', 'Create a user; without roles and databases they see nothing', {
      id: 'createUser',
      body: newBody,
      response: userResponse,
      created: true,
      action: 'user.create',
      failures: ['NameTaken'],
      example: {
        body: {
          username: 'ana',
          password: 'a long passphrase',
          fullName: 'Ana Sousa',
          email: 'ana@example.org',
          roles: ['Query User'],
          databases: ['Demo'],
        },
      },
      handle: ({ principal, body, draft }) => users.create(principal, body, draft),
    }),
    oneRoute('GET', '/users/:id', 'One user', {
      id: 'getUser',
      response: userResponse,
      keys: 'whole',
      handle: ({ principal, id }) => users.get(principal, id),
    }),
    oneRoute('PUT', '/users/:id', 'Replace a user; an omitted password stays unchanged', {
      id: 'replaceUser',
      body: replaceBody,
      response: userResponse,
      action: 'user.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => users.replace(principal, id, body, ifMatch, draft),
    }),
    oneRoute('PATCH', '/users/:id', 'Change some fields of a user', {
      id: 'changeUser',
      body: changeBody,
      response: userResponse,
      action: 'user.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => users.change(principal, id, body, ifMatch, draft),
    }),
    oneRoute('DELETE', '/users/:id', 'Delete a user with their keys and sessions', {
      id: 'deleteUser',
      response: null,
      action: 'user.delete',
      failures: ['PermissionDenied', 'StateConflict', 'VersionConflict'],
      handle: ({ principal, id, ifMatch, draft }) => users.remove(principal, id, ifMatch, draft),
    }),
  ];
}
