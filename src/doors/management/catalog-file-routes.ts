import { z } from 'zod';
import type { CatalogFiles } from '../../administration/catalog/apply-catalog.ts';
import { emptyQuery, queryFields } from '../../catalog/query-fields.ts';
import { sentShape, shownShape, text } from '../../catalog/wire-field.ts';
import { nameSchemas } from '../http/operation.ts';
import { authorFailures, type ManagementRoute, routesOf } from './management-route.ts';
import { affected, queryChange } from './query-change-routes.ts';
import { inputOfBody } from './query-wire.ts';

const catalogQuery = z.object({
  queryName: text(300).describe('Technical name: that of its file.'),
  ...sentShape(queryFields),
  aiAccess: z.boolean().describe('Whether the AI gateway offers it.'),
  compatibility: queryFields.compatibility.shown.default(emptyQuery.compatibility),
  roles: z.array(text(200)).max(1000).describe('Names of the roles that may run it; empty: every role.'),
});
const MOST_QUERIES = 20_000;
const planBody = z.object({
  queries: z
    .array(catalogQuery)
    .max(MOST_QUERIES)
    .describe('All queries of the catalog, complete: what a query does not name is unset.'),
  prune: z.boolean().default(false).describe('Deactivate Active queries that are not among them.'),
});
const applyBody = planBody.extend({
  allowBreaking: z.boolean().default(false).describe('Apply changes that break callers, too.'),
  note: text(500).optional().describe('Why the versions that it creates exist.'),
});

const plannedQuery = z.object({
  queryName: z.string(),
  action: z.enum(['create', 'change', 'activate']).describe('`activate`: it is not Active; its definition may change, too.'),
  before: z.object(shownShape(queryFields)).nullable().describe('The current version; null: there is none.'),
  draft: z
    .object({ version: z.number().int(), createdBy: z.string() })
    .nullable()
    .describe('A draft that is discarded if the definition changes.'),
  warnings: z.array(z.string()).readonly(),
  changes: z.array(queryChange).readonly().describe('What callers notice.'),
  breaking: z.boolean().describe('Whether one of the changes is breaking.'),
  affected: affected.nullable().describe('Who notices breaking changes; null: nothing breaks, or there was no time to find out.'),
});
const catalogPlan = z.object({
  queries: z.array(plannedQuery).describe('The queries that change.'),
  unchanged: z.number().int().describe('Number of queries that stay as they are.'),
  deactivated: z.array(z.string()).describe('Technical names of the queries that `prune` deactivates.'),
  withoutFile: z
    .array(z.string())
    .describe('Technical names of the Active queries that stay although they are not among the sent ones.'),
});

nameSchemas({
  CatalogQuery: catalogQuery,
  CatalogPlanRequest: planBody,
  CatalogApplyRequest: applyBody,
  PlannedQuery: plannedQuery,
  CatalogPlan: catalogPlan,
});

const route = routesOf({ tag: 'Queries', keys: 'whole' });
const failures = [...authorFailures, 'StateConflict', 'PermissionDenied'] as const;

export function catalogFileRoutes(files: CatalogFiles): readonly ManagementRoute[] {
  return [
    route('POST', '/catalog/plan', 'Compare queries with the catalog and validate them, without changing anything', {
      id: 'planCatalog',
      body: planBody,
      response: catalogPlan,
      compressed: true,
      largeBody: true,
      needs: 'queries.author',
      action: 'catalog.plan',
      failures,
      handle: ({ principal, body, call, draft }) =>
        files.plan(principal, { ...body, queries: body.queries.map(inputOfCatalogQuery) }, call.signal, draft),
    }),
    route('POST', '/catalog/apply', 'Make the catalog like the queries that are sent, in one transaction', {
      id: 'applyCatalog',
      body: applyBody,
      response: catalogPlan,
      compressed: true,
      largeBody: true,
      needs: 'queries.author',
      action: 'catalog.apply',
      failures: [...failures, 'BreakingChange'],
      handle: ({ principal, body, call, draft }) =>
        files.apply(principal, { ...body, queries: body.queries.map(inputOfCatalogQuery) }, call.signal, draft),
    }),
  ];
}

const inputOfCatalogQuery = ({ queryName, ...query }: z.output<typeof catalogQuery>) => ({
  ...inputOfBody({ ...query, note: undefined }),
  queryName,
});
