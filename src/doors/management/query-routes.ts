import { z } from 'zod';
import type { Favorites } from '../../administration/queries/favorites.ts';
import type { Preview } from '../../administration/queries/preview.ts';
import type { Queries } from '../../administration/queries/queries.ts';
import type { QueryChanges } from '../../administration/queries/query-changes.ts';
import type { QueryLifecycle } from '../../administration/queries/query-lifecycle.ts';
import type { QueryVersions } from '../../administration/queries/query-versions.ts';
import { type QueryListFilter, querySorts } from '../../administration/queries/query-view.ts';
import { mapResult } from '../../core/errors.ts';
import { filterText, idParams, listResponse, listQuery, listRequest } from './list-query.ts';
import { authorFailures, changeFailures, encodedJson, type ManagementRoute, routesOf } from './management-route.ts';
import { queryChangeRoutes } from './query-change-routes.ts';
import {
  activateBody,
  inputOfBody,
  previewResponse,
  previewBody,
  queryResponse,
  queryStatus,
  queryBody,
  queryChangeBody,
  restoreVersionBody,
  retireVersionBody,
  validateResponse,
  valuesOf,
  versionResponse,
} from './query-wire.ts';

export interface QueryUseCases {
  readonly queries: Queries;
  readonly lifecycle: QueryLifecycle;
  readonly changes: QueryChanges;
  readonly versions: QueryVersions;
  readonly preview: Preview;
  readonly favorites: Favorites;
}

export function queryRoutes(useCases: QueryUseCases): readonly ManagementRoute[] {
  return [
    ...readingRoutes(useCases),
    ...favoriteRoutes(useCases),
    ...writingRoutes(useCases),
    ...lifecycleRoutes(useCases),
    ...queryChangeRoutes(useCases.changes),
  ];
}

const route = routesOf({ tag: 'Queries', keys: 'whole' });
const versionNumber = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'Expected the number of a version.')
  .transform(Number);
const versionParams = idParams.extend({ version: versionNumber.describe('The number of the version.') });
const yes = z
  .enum(['true', 'false'], 'Expected true or false.')
  .transform((text) => text === 'true')
  .optional();
const queryFilter = listQuery.extend({
  search: filterText
    .optional()
    .describe('Words of the name, technical name, description, tip, tags, parameters or columns; the best matches come first.'),
  status: queryStatus.optional(),
  database: filterText.optional().describe('Name of the database.'),
  tag: filterText.optional(),
  favorite: yes.describe('Only my favorites.'),
  aiAccess: yes.describe('Only queries that AI assistants may run.'),
  recent: yes.describe('Only queries that I ran in the web interface; the last one first.'),
  sort: z
    .enum(querySorts.flatMap((by) => [by, `-${by}`] as const))
    .optional()
    .describe('`-` in front: descending. `owner` is the creator. Queries without the value come last.'),
});

function readingRoutes({ queries }: QueryUseCases): readonly ManagementRoute[] {
  return [
    route('GET', '/queries', 'The queries that I may see, by name', {
      id: 'listQueries',
      query: queryFilter,
      response: listResponse(queryResponse),
      compressed: true,
      keys: 'all',
      handle: ({ principal, query }) =>
        queries.list(principal, {
          ...listRequest(query),
          isForAi: query.aiAccess,
          status: query.status,
          database: query.database || undefined,
          tag: query.tag || undefined,
          isFavorite: query.favorite,
          isRecent: query.recent,
          sort: sortOf(query.sort),
        }),
    }),
    route('GET', '/queries/:id', 'A query', {
      id: 'getQuery',
      query: z.object({
        version: z
          .union([z.literal('draft'), versionNumber])
          .optional()
          .describe('`draft`, or a version number; default: the current version.'),
      }),
      response: queryResponse,
      keys: 'all',
      handle: ({ principal, id, query }) => queries.get(principal, id, query.version),
    }),
  ];
}

function sortOf(sent: z.output<typeof queryFilter>['sort']): QueryListFilter['sort'] {
  const by = querySorts.find((each) => each === sent || `-${each}` === sent);
  return by && { by, descending: by !== sent };
}

function favoriteRoutes({ favorites }: QueryUseCases): readonly ManagementRoute[] {
  return [
    route('PUT', '/queries/:id/favorite', 'Make a query one of my favorites', {
      id: 'addFavorite',
      response: null,
      action: 'query.favorite',
      keys: 'none',
      failures: ['LimitReached'],
      handle: ({ principal, id, draft }) => favorites.add(principal, id, draft),
    }),
    route('DELETE', '/queries/:id/favorite', 'Remove a query from my favorites; also if I no longer see it', {
      id: 'removeFavorite',
      response: null,
      action: 'query.unfavorite',
      keys: 'none',
      handle: ({ principal, id, draft }) => favorites.remove(principal, id, draft),
    }),
  ];
}

function writingRoutes({ queries, preview }: QueryUseCases): readonly ManagementRoute[] {
  return [
    route('POST', '/queries', 'Create a query as a Draft', {
      id: 'createQuery',
      body: queryBody,
      response: queryResponse,
      created: true,
      needs: 'queries.author',
      action: 'query.create',
      failures: ['NameTaken'],
      example: {
        body: {
          name: 'Stores of a region',
          database: 'Demo',
          sql: 'select name, city from stores where region = @Region order by name',
          parameters: [{ name: '@Region', dataType: 'nvarchar(50)', required: true }],
          description: 'The stores of a sales region',
        },
      },
      handle: ({ principal, body, draft }) => queries.create(principal, inputOfBody(body), draft),
    }),
    route('PUT', '/queries/:id', 'Replace a query; changes of an Active query become a draft', {
      id: 'replaceQuery',
      body: queryBody,
      response: queryResponse,
      action: 'query.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => queries.replace(principal, id, inputOfBody(body), ifMatch, draft),
    }),
    route('PATCH', '/queries/:id', 'Change fields of a query; null clears an optional one', {
      id: 'changeQuery',
      body: queryChangeBody,
      response: queryResponse,
      action: 'query.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => queries.change(principal, id, body, ifMatch, draft),
    }),
    route('POST', '/queries/preview', 'Run unsaved SQL read-only and return its first 100 rows', {
      id: 'previewSql',
      body: previewBody,
      response: previewResponse,
      needs: 'queries.author',
      action: 'query.preview',
      failures: [
        ...authorFailures,
        'StateConflict',
        'CallerAttributeMissing',
        'CallerAttributeAmbiguous',
        'ParameterBound',
        'ParameterUnknown',
        'ParameterInvalid',
        'CellTooLarge',
        'UserBusy',
        'KeyBusy',
        'RowsExceeded',
      ],
      example: {
        body: {
          database: 'Demo',
          sql: 'select region, count(*) as stores from stores group by region order by 2 desc limit @Top',
          parameters: [{ name: '@Top', dataType: 'int' }],
          values: { '@Top': 2 },
        },
        response: {
          data: [
            { region: 'Central Europe', stores: 8 },
            { region: 'Southern Europe', stores: 6 },
          ],
          columns: [
            { name: 'region', type: 'categorical' },
            { name: 'stores', type: 'numeric' },
          ],
        },
      },
      handle: async ({ principal, body, call, draft }) => {
        const { database, sql, as } = body;
        const input = { database, sql, parameters: body.parameters ?? [], values: valuesOf(body.values), as: as ?? null };
        return mapResult(await preview(principal, input, call, draft), encodedJson);
      },
    }),
  ];
}

const moveFailures = ['PermissionDenied', 'StateConflict', 'VersionConflict'] as const;
const moves = [
  ['deactivate', 'Stop callers from running it'],
  ['void', 'Void a query that is not Active'],
  ['restore', 'Restore a Void query as a Draft'],
] as const;

function lifecycleRoutes({ lifecycle, queries, versions }: QueryUseCases): readonly ManagementRoute[] {
  return [
    route(
      'POST',
      '/queries/:id/validate',
      'Prepare the SQL on its database, find its columns, compare placeholders and parameters',
      {
        id: 'validateQuery',
        response: validateResponse,
        action: 'query.validate',
        failures: [...moveFailures, ...authorFailures],
        handle: ({ principal, id, ifMatch, call, draft }) => lifecycle.validate(principal, id, ifMatch, call.signal, draft),
      },
    ),
    route('DELETE', '/queries/:id/draft', 'Discard the draft of a query; the current version stays', {
      id: 'discardQueryDraft',
      response: null,
      action: 'query.discard-draft',
      failures: moveFailures,
      handle: async ({ principal, id, ifMatch, draft }) =>
        mapResult(await lifecycle.discardDraft(principal, id, ifMatch, draft), () => null),
    }),
    route('POST', '/queries/:id/activate', 'Let callers run the version that was validated', {
      id: 'activateQuery',
      body: activateBody,
      bodyOptional: true,
      response: queryResponse,
      action: 'query.activate',
      failures: [...moveFailures, 'BreakingChange'],
      handle: ({ principal, id, body, ifMatch, draft }) => lifecycle.activate(principal, id, ifMatch, draft, body),
    }),
    ...moves.map(([move, summary]) =>
      route('POST', `/queries/:id/${move}`, summary, {
        id: `${move}Query`,
        response: queryResponse,
        action: `query.${move}`,
        failures: moveFailures,
        handle: ({ principal, id, ifMatch, draft }) => lifecycle[move](principal, id, ifMatch, draft),
      }),
    ),
    route('GET', '/queries/:id/versions', 'Its versions, newest first', {
      id: 'listQueryVersions',
      query: listQuery.extend({ activated: yes.describe('Only versions that callers can name, one for each number.') }),
      response: listResponse(versionResponse),
      compressed: true,
      failures: ['PermissionDenied'],
      handle: ({ principal, id, query }) => queries.versions(principal, id, listRequest(query), query.activated),
    }),
    route('POST', '/queries/:id/versions/:version/restore', 'Restore an earlier version as an edit', {
      id: 'restoreQueryVersion',
      params: versionParams,
      body: restoreVersionBody,
      bodyOptional: true,
      response: queryResponse,
      action: 'query.restore-version',
      failures: changeFailures,
      handle: ({ principal, id, params, body, ifMatch, draft }) =>
        queries.restoreVersion(principal, id, { version: params.version, note: body.note }, ifMatch, draft),
    }),
    route('POST', '/queries/:id/versions/:version/retire', 'End the calls that name an earlier version, now or at a time', {
      id: 'retireQueryVersion',
      params: versionParams,
      body: retireVersionBody,
      bodyOptional: true,
      response: versionResponse,
      action: 'query.retire-version',
      failures: ['PermissionDenied', 'VersionUnknown', 'StateConflict'],
      handle: ({ principal, id, params, body, draft }) =>
        versions.retire(principal, id, params.version, body.at === undefined ? undefined : Date.parse(body.at), draft),
    }),
  ];
}
