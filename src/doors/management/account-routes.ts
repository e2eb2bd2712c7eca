import { z } from 'zod';
import type { Figures } from '../../administration/figures.ts';
import type { Home } from '../../administration/home.ts';
import type { Account } from '../../administration/users/account.ts';
import { aggregate, bucketUnit } from '../../catalog/chart-fields.ts';
import { columnFormat } from '../../catalog/query-fields.ts';
import { nameSchemas, permission, outcome, userKind } from '../http/operation.ts';
import { texts, time, timeOrNever } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';
import { queryStatus } from './query-wire.ts';

const attribute = z.union([z.string(), z.array(z.string()).readonly()], 'Expected a text or a list of texts.');
export const userAttributes = z.record(z.string(), attribute).readonly();

export const accountResponse = z.object({
  id: z.string(),
  kind: userKind,
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  roles: texts.describe('Names of the roles held.'),
  permissions: z.array(permission).readonly().describe('The permissions of all roles combined.'),
  databases: texts.describe('Names of the databases in scope; `*` alone means all.'),
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

const count = z.number().int();
const query = z.object({
  id: z.string(),
  queryName: z.string().describe('Technical name.'),
  name: z.string().describe('Display name.'),
  status: queryStatus,
  canRun: z.boolean(),
  hasChart: z.boolean().describe('Whether its author chose a chart for it.'),
});
const lastRun = z.object({
  at: time,
  outcome,
  error: z.string().nullable().describe('Error code.'),
  rows: count.nullable(),
  durationMs: z.number(),
});
const items = <T extends z.ZodType>(item: T) => z.array(item).readonly().optional();

const endingKey = z.object({
  ...{ user: z.string(), name: z.string(), prefix: z.string() },
  ...{ expiresAt: time, lastUsedAt: timeOrNever, isOwn: z.boolean() },
});
const hour = z.object({ calls: count, errors: count });
const slowQuery = z.object({
  queryName: z.string(),
  id: z.string().nullable().describe('Null: you may not see this query.'),
  name: z.string().nullable(),
  ...{ calls: count, medianMs: z.number(), slowestMs: z.number() },
});

const homeResponse = z.object({
  queries: z
    .object({
      ...{ Draft: count, Validated: count, Active: count, Inactive: count, Void: count },
      activeDrafts: count.describe('Active queries that also have a draft.'),
    })
    .optional()
    .describe('How many queries you see, by status.'),
  favorites: items(query),
  recent: items(
    query.extend({
      lastUsedAt: time,
      lastRun: lastRun.nullable().describe('Your last run; null if it is not among your latest calls.'),
    }),
  ).describe('Queries that you ran in the web interface; the last one first.'),
  news: items(query.extend({ at: time, by: z.string(), isNew: z.boolean().describe('Otherwise it was changed.') })).describe(
    'Queries that you may run and that others published or changed in the last 30 days.',
  ),
  drafts: items(query.extend({ at: time, draftStatus: z.enum(['Draft', 'Validated']) })).describe(
    'Your queries that are not published, or have a draft.',
  ),
  failures: items(
    query.extend({
      at: time.describe('Of the latest failure.'),
      error: z.string().describe('Its error code.'),
      count: count.describe('Failed calls among `calls`.'),
      calls: count.describe('The latest calls of the last 7 days, at most 100.'),
    }),
  ).describe('Your queries whose calls failed in the last 7 days.'),
  endingKeys: z
    .array(endingKey)
    .readonly()
    .describe('API keys that expire within 14 days: yours, or with `users.manage` those of all users.'),
  lastDay: z
    .object({
      since: timeOrNever.describe('Only the latest 1,000 calls were counted, from this time on; null: all.'),
      calls: count,
      failed: count,
      refused: count,
      hours: z.array(hour).readonly().describe('24, the current one last.'),
      slowest: z.array(slowQuery).readonly().describe('The queries with the slowest calls.'),
    })
    .optional()
    .describe('Calls of queries in the last 24 hours, with `audit.view`.'),
  load: z.object({ running: count, waiting: count }).optional().describe('Executions of all users, for Administrators.'),
  failingDatabases: items(z.object({ name: z.string(), at: time, message: z.string() })).describe(
    'Databases whose last connection test failed, with `databases.manage`.',
  ),
});

const point = z.object({ label: z.string(), value: z.number().nullable() });
const figure = z.object({
  ...{ id: z.string(), queryName: z.string(), name: z.string() },
  at: time.describe('When the query ran.'),
  ...{ labelColumn: z.string(), dataColumn: z.string(), aggregate },
  format: columnFormat.shown.exactOptional().describe('Of the values.'),
  unit: bucketUnit.nullable().describe('Of labels that are times; null: they are not.'),
  points: z.array(point).readonly().describe('Times in order; otherwise the labels with the largest values.'),
  labels: count.describe('Labels in all.'),
  last: point.nullable().describe('The last period that has ended; null if the labels are no times.'),
  change: z.number().nullable().describe('Of its value since the period before: 0.1 is 10 %.'),
});
const figuresResponse = z.object({ figures: z.array(figure).readonly() });
const figuresQuery = z.object({
  queries: z.string().max(10_000).optional().describe('Technical names, with commas between them; at most 50.'),
});

nameSchemas({ Home: homeResponse, Figure: figure, FigurePoint: point, Figures: figuresResponse });

export const homeRoutes = (home: Home, figures: Figures): readonly ManagementRoute[] => [
  route('GET', '/home', 'What concerns me: favorites, recent queries, news, drafts, failures, keys that end soon', {
    id: 'getHome',
    response: homeResponse,
    handle: ({ principal }) => home(principal),
  }),
  route('GET', '/figures', 'Small charts of queries, from results of earlier calls with default values; runs no query', {
    id: 'listFigures',
    query: figuresQuery,
    response: figuresResponse,
    handle: ({ principal, query: { queries } }) =>
      figures(
        principal,
        queries?.split(',').filter((name) => name !== ''),
      ),
  }),
];
