import { z } from 'zod';
import type { Preview } from '../../administration/queries/preview.ts';
import type { Queries } from '../../administration/queries/queries.ts';
import type { QueryLifecycle } from '../../administration/queries/query-lifecycle.ts';
import { queryStatuses } from '../../catalog/query.ts';
import { succeeded } from '../../errors.ts';
import { filterText, idParams, listResponse, listQuery, listRequest, pathId } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';
import {
  changeOfBody,
  inputOfBody,
  parametersOf,
  previewResponse,
  previewBody,
  queryResponse,
  queryBody,
  queryChangeBody,
  validateResponse,
  valuesOf,
  versionResponse,
} from './query-wire.ts';

export interface QueryUseCases {
  readonly queries: Queries;
  readonly lifecycle: QueryLifecycle;
  readonly preview: Preview;
}

export function queryRoutes(useCases: QueryUseCases): readonly ManagementRoute[] {
  return [...readingRoutes(useCases), ...writingRoutes(useCases), ...lifecycleRoutes(useCases), ...versionRoutes(useCases)];
}

const tag = 'Queries';
const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'Expected the number of a version.')
  .transform(Number);
const queryFilter = listQuery.extend({
  search: filterText.optional().describe('Part of the name, technical name, description or a tag, ignoring case.'),
  status: z.enum(queryStatuses).optional(),
  database: filterText.optional().describe('Name of the database.'),
  tag: filterText.optional(),
});

function readingRoutes({ queries }: QueryUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'GET',
      path: '/queries',
      tag,
      summary: 'The queries that I may see, by name',
      query: queryFilter,
      response: listResponse(queryResponse),
      compressed: true,
      keys: 'all',
      handle: ({ principal, query }) =>
        queries.list(principal, {
          ...listRequest(query),
          status: query.status,
          database: query.database || undefined,
          tag: query.tag || undefined,
        }),
    }),
    managementRoute({
      method: 'GET',
      path: '/queries/:id',
      tag,
      summary: 'A query',
      params: idParams,
      query: z.object({
        version: z
          .union([z.literal('draft'), versionNumber])
          .optional()
          .describe('`draft`, or a version number; left out: the current version.'),
      }),
      response: queryResponse,
      keys: 'all',
      handle: ({ principal, params, query }) => queries.get(principal, params.id, query.version),
    }),
  ];
}

function writingRoutes({ queries, preview }: QueryUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'POST',
      path: '/queries',
      tag,
      summary: 'Create a query as a Draft',
      body: queryBody,
      response: queryResponse,
      created: true,
      needs: 'queries.author',
      keys: 'whole',
      action: 'query.create',
      handle: ({ principal, body, draft }) => queries.create(principal, inputOfBody(body), draft),
    }),
    managementRoute({
      method: 'PUT',
      path: '/queries/:id',
      tag,
      summary: 'Replace a query; changes of an Active query become a draft',
      params: idParams,
      body: queryBody,
      response: queryResponse,
      keys: 'whole',
      action: 'query.update',
      handle: ({ principal, params, body, ifMatch, draft }) =>
        queries.replace(principal, params.id, inputOfBody(body), ifMatch, draft),
    }),
    managementRoute({
      method: 'PATCH',
      path: '/queries/:id',
      tag,
      summary: 'Change fields of a query; null clears an optional one',
      params: idParams,
      body: queryChangeBody,
      response: queryResponse,
      keys: 'whole',
      action: 'query.update',
      handle: ({ principal, params, body, ifMatch, draft }) =>
        queries.change(principal, params.id, changeOfBody(body), ifMatch, draft),
    }),
    managementRoute({
      method: 'POST',
      path: '/queries/preview',
      tag,
      summary: 'Run unsaved SQL read-only and return its first 100 rows',
      body: previewBody,
      response: previewResponse,
      needs: 'queries.author',
      keys: 'whole',
      action: 'query.preview',
      handle: async ({ principal, body, call, draft }) => {
        const { database, sql } = body;
        const input = { database, sql, parameters: parametersOf(body.parameters), values: valuesOf(body.values) };
        const result = await preview(principal, input, call, draft);
        return result.ok ? succeeded(jsonResponse(result.value)) : result;
      },
    }),
  ];
}

const moves = [
  ['activate', 'Let callers run the version that was validated'],
  ['deactivate', 'Stop callers from running it'],
  ['void', 'Void a query that is not Active'],
  ['restore', 'Restore a Void query as a Draft'],
] as const;

function lifecycleRoutes({ lifecycle }: QueryUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'POST',
      path: '/queries/:id/validate',
      tag,
      summary: 'Prepare the SQL on its database, find its columns, compare placeholders and parameters',
      params: idParams,
      response: validateResponse,
      keys: 'whole',
      action: 'query.validate',
      handle: ({ principal, params, ifMatch, call, draft }) =>
        lifecycle.validate(principal, params.id, ifMatch, call.signal, draft),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/queries/:id/draft',
      tag,
      summary: 'Discard the draft of a query; the current version stays',
      params: idParams,
      response: null,
      keys: 'whole',
      action: 'query.discard-draft',
      handle: async ({ principal, params, ifMatch, draft }) => {
        const after = await lifecycle.discardDraft(principal, params.id, ifMatch, draft);
        return after.ok ? succeeded(null) : after;
      },
    }),
    ...moves.map(([move, summary]) =>
      managementRoute({
        method: 'POST',
        path: `/queries/:id/${move}`,
        tag,
        summary,
        params: idParams,
        response: queryResponse,
        keys: 'whole',
        action: `query.${move}`,
        handle: ({ principal, params, ifMatch, draft }) => lifecycle[move](principal, params.id, ifMatch, draft),
      }),
    ),
  ];
}

function versionRoutes({ queries }: QueryUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'GET',
      path: '/queries/:id/versions',
      tag,
      summary: 'Its versions, newest first',
      params: idParams,
      query: listQuery,
      response: listResponse(versionResponse),
      compressed: true,
      keys: 'whole',
      handle: ({ principal, params, query }) => queries.versions(principal, params.id, listRequest(query)),
    }),
    managementRoute({
      method: 'POST',
      path: '/queries/:id/versions/:version/restore',
      tag,
      summary: 'Restore an earlier version as an edit',
      params: z.object({ id: pathId, version: versionNumber.describe('The number of the version.') }),
      response: queryResponse,
      keys: 'whole',
      action: 'query.restore-version',
      handle: ({ principal, params, ifMatch, draft }) =>
        queries.restoreVersion(principal, params.id, params.version, ifMatch, draft),
    }),
  ];
}

const jsonResponse = (json: string) => ({ file: { contentType: 'application/json; charset=utf-8', body: once(json) } });

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}
