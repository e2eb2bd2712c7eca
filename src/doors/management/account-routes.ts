import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import type { Account } from '../../administration/users/account.ts';
import { timeOrNever } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

export const accountResponse = z.object({
  id: z.string(),
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  roles: z.array(z.string()).readonly().describe('Names of the roles held.'),
  permissions: z.array(z.enum(permissions)).readonly().describe('The permissions of all roles combined.'),
  databases: z.array(z.string()).readonly().describe('Names of the databases in scope; `*` alone means all.'),
  expiresAt: timeOrNever.describe('When the account expires; null: never.'),
  external: z.boolean().describe('Signs in through OpenID Connect and has no password here.'),
});

const passwordBody = z.object({
  currentPassword: z.string().describe('The current password.'),
  newPassword: z.string().describe('At least 12 characters, without the user name.'),
});

export function accountRoutes(account: Account): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'GET',
      path: '/account',
      tag: 'Account',
      summary: 'The current user and their permissions',
      response: accountResponse,
      keys: 'all',
      handle: ({ principal }) => account.get(principal),
    }),
    managementRoute({
      method: 'PUT',
      path: '/account/password',
      tag: 'Account',
      summary: 'Change my password; ends all my sessions, including this one',
      body: passwordBody,
      response: null,
      keys: 'none',
      action: 'account.password',
      handle: ({ principal, body, call, draft }) => account.changePassword(principal, body, call.address, draft),
    }),
  ];
}
