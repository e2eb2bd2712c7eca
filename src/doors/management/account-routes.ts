import { z } from 'zod';
import type { Account } from '../../administration/users/account.ts';
import { nameSchemas, permission } from '../http/operation.ts';
import { timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

export const userAttributes = z.record(z.string(), z.union([z.string(), z.array(z.string()).readonly()])).readonly();

export const accountResponse = z.object({
  id: z.string(),
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  roles: z.array(z.string()).readonly().describe('Names of the roles held.'),
  permissions: z.array(permission).readonly().describe('The permissions of all roles combined.'),
  databases: z.array(z.string()).readonly().describe('Names of the databases in scope; `*` alone means all.'),
  attributes: userAttributes.describe('Facts about the user that queries may be bound to.'),
  expiresAt: timeOrNever.describe('When the account expires; null: never.'),
  external: z.boolean().describe('Signs in through OpenID Connect and has no password here.'),
  canManageExecutions: z.boolean().describe('Whether you see and may cancel the running queries of all users.'),
});

const passwordBody = z.object({
  currentPassword: z.string().describe('The current password.'),
  newPassword: z.string().describe('At least 12 characters, without the user name.'),
});

nameSchemas({ Account: accountResponse, PasswordChange: passwordBody });

const route = routesOf({ tag: 'Account', keys: 'none' });

export function accountRoutes(account: Account): readonly ManagementRoute[] {
  return [
    route('GET', '/account', 'The current user and their permissions', {
      id: 'getAccount',
      response: accountResponse,
      keys: 'all',
      handle: ({ principal }) => account.get(principal),
    }),
    route('PUT', '/account/password', 'Change my password; ends all my sessions, including this one', {
      id: 'changePassword',
      body: passwordBody,
      response: null,
      action: 'account.password',
      failures: ['StateConflict'],
      handle: ({ principal, body, call, draft }) => account.changePassword(principal, body, call.address, draft),
    }),
  ];
}
