import { z } from 'zod';
import type { QueryChanges } from '../../administration/queries/query-changes.ts';
import { changeKinds } from '../../catalog/query-changes.ts';
import { channel, nameSchemas, userKind } from '../http/operation.ts';
import { countUpTo, time } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const days = countUpTo(366, 'whole number of days').default(90).describe('How many days back calls are counted.');
const EXPECTED_VERSION = 'Expected the number of a version, active or draft.';
const version = z
  .string(EXPECTED_VERSION)
  .toLowerCase()
  .regex(/^(?:[1-9]\d{0,8}|active|draft)$/, EXPECTED_VERSION)
  .transform((text) => (text === 'active' || text === 'draft' ? text : Number(text)));

const side = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly(), z.null()]);
export const queryChange = z.object({
  kind: z.enum(changeKinds),
  path: z.string().describe('`parameters.@Region`, `columns.Margin` or `maxRows`.'),
  from: side.describe('Before; null: it was not there.'),
  to: side.describe('After; null: it is not there.'),
  breaking: z
    .boolean()
    .describe('Whether calls may fail that worked before, or whether rows lack something that callers may read.'),
  message: z.string().describe('The change in a sentence.'),
});
const queryCaller = z.object({
  user: z.string().describe('User name; of an embed or a data link that of its issuer.'),
  kind: userKind.nullable().describe('Of the user.'),
  apiKey: z.string().nullable().describe('Name of the API key; null: another credential.'),
  application: z.string().exactOptional().describe('The AI application that the user signed in from.'),
  channel,
  version: z.number().int().describe('The version that ran, by its number at activation.'),
  calls: z.number().int().describe('Executions; pages of a result do not count.'),
  viewers: z.number().int().exactOptional().describe('On behalf of how many viewers an application called.'),
  lastAt: time,
});
const queryDependant = z.object({
  kind: z
    .enum(['embed', 'link', 'typedKey', 'choices'])
    .describe('`typedKey`: an API key with a tool for the query. `choices`: a query.'),
  id: z.string(),
  name: z.string().describe('The title of an embed, which may be empty; the technical name of a query.'),
  owner: z.string().describe('User name.'),
  version: z.number().int().nullable().describe('The version that it stays with; null: it follows the current one.'),
});
const versionUse = z.object({
  version: z.number().int(),
  callers: z.number().int().describe('Accounts; of a person each key and application counts.'),
  calls: z.number().int(),
  lastAt: time,
});
const affectedCallers = {
  callers: z.array(queryCaller).describe('Who received rows, the most calls first; 1,000 at most.'),
  moreCallers: z.number().int().describe('Number of callers that are not listed.'),
  callersSince: time.describe('From when on calls are counted: later than asked for if there are too many entries to read.'),
};
const affectedDependants = {
  dependants: z.array(queryDependant).describe('What stands on the query, however long ago it was used; 1,000 at most.'),
  moreDependants: z
    .number()
    .int()
    .describe('Number of dependants that are not listed, because they are too many or because you may not see them.'),
};
export const affected = z.object({ ...affectedCallers, ...affectedDependants });
const callersFields = {
  ...affectedCallers,
  versions: z.array(versionUse).describe('The versions that were called, the latest first.'),
};
const comparedVersion = z.object({
  version: z.number().int(),
  activatedAs: z.number().int().nullable(),
  createdBy: z.string(),
  createdAt: time,
});
const changesResponse = z.object({
  from: comparedVersion,
  to: comparedVersion,
  columnsCompared: z.boolean().describe('False: one of the versions was not validated, so its columns are not known.'),
  breaking: z.boolean().describe('Whether one of the changes is breaking.'),
  changes: z.array(queryChange),
  ...callersFields,
  ...affectedDependants,
});
const callersResponse = z.object(callersFields);

nameSchemas({
  QueryChangeForCallers: queryChange,
  QueryCaller: queryCaller,
  QueryDependant: queryDependant,
  QueryVersionUse: versionUse,
  AffectedByChange: affected,
  ComparedVersion: comparedVersion,
  QueryChanges: changesResponse,
  QueryCallers: callersResponse,
});

const route = routesOf({ tag: 'Queries', keys: 'whole' });

export function queryChangeRoutes(changes: QueryChanges): readonly ManagementRoute[] {
  return [
    route('GET', '/queries/:id/changes', 'What callers notice if one version takes the place of another, and who they are', {
      id: 'compareQueryVersions',
      query: z.object({
        from: version.default('active').describe('A version number or `active`: the version that callers get, or last got.'),
        to: version.default('draft').describe('A version number or `draft`: the version that is activated next.'),
        days,
      }),
      response: changesResponse,
      compressed: true,
      failures: ['PermissionDenied', 'Overloaded'],
      handle: ({ principal, id, query }) => changes.compare(principal, id, query),
    }),
    route('GET', '/queries/:id/callers', 'Who received its rows, and which versions are called', {
      id: 'listQueryCallers',
      query: z.object({ days }),
      response: callersResponse,
      compressed: true,
      failures: ['PermissionDenied', 'Overloaded'],
      handle: ({ principal, id, query }) => changes.callers(principal, id, query.days),
    }),
  ];
}
