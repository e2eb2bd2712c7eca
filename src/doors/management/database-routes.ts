import { z } from 'zod';
import type { DatabaseProbe } from '../../administration/databases/database-probe.ts';
import type { DatabaseChange, Databases } from '../../administration/databases/databases.ts';
import { filterText, idParams, listResponse, listQuery, listRequest, time } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

export interface DatabaseUseCases {
  readonly databases: Databases;
  readonly probe: DatabaseProbe;
}

export function databaseRoutes(useCases: DatabaseUseCases): readonly ManagementRoute[] {
  return [...readingRoutes(useCases), ...changingRoutes(useCases), ...testRoutes(useCases)];
}

const fields = z.record(z.string(), z.unknown());
const name = z.string().describe('1 to 100 characters, unique ignoring case. Part of the technical names of its queries.');
const kind = z
  .string()
  .describe('`duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed.');
const connection = fields.describe(
  '`{host, port, user, password, database, tls?}`, or `{file}` for DuckDB and SQLite. Secrets are never returned.',
);
const settings = fields.describe('Settings of the engine.');
const description = z.string().max(10_000).describe('Helps to choose a database.');
const disabled = z.boolean().describe('Its queries are rejected.');
const writable = z.boolean().describe('An Epilogue may write to it.');

const newDatabase = z.object({
  name,
  kind,
  connection,
  settings: settings.default({}),
  description: description.default(''),
  disabled: disabled.default(false),
  writable: writable.default(false),
});
const replacedDatabase = newDatabase.extend({
  kind: kind.optional(),
  connection: connection.describe(
    'Replaces the connection. A secret that is left out is kept, unless another field of the connection changed: then send it again.',
  ),
});
const changedDatabase = z.object({
  name: name.optional(),
  kind: kind.optional(),
  connection: connection
    .optional()
    .describe('The fields to change; null removes a field. If any other than a secret changes, send the secret, too.'),
  settings: settings.nullish().describe('Replaces the settings; null: none.'),
  description: description.nullish(),
  disabled: disabled.nullish(),
  writable: writable.nullish(),
});
const unsavedDatabase = z.object({
  id: z.string().optional().describe('A stored database whose secrets are used if the connection is otherwise unchanged.'),
  name: name.default('unsaved'),
  kind,
  connection,
  settings: settings.default({}),
  writable: writable.default(false),
});

const onlyManagers = 'Only shown to users who manage databases.';
const databaseResponse = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  description: z.string(),
  version: z.number().int().describe('For If-Match; also the ETag.'),
  connection: fields.optional().describe(`Without secrets. ${onlyManagers}`),
  settings: fields.optional().describe(onlyManagers),
  disabled: z.boolean().optional().describe(onlyManagers),
  writable: z.boolean().optional().describe(onlyManagers),
  builtIn: z.boolean().optional().describe(`The demo database. ${onlyManagers}`),
  createdAt: time.optional().describe(onlyManagers),
});
const testResponse = z.object({
  ok: z.boolean(),
  message: z.string().optional().describe('Warnings, or why it could not be reached.'),
});

const text = z.string();
const schemaResponse = z.object({
  tables: z
    .array(
      z.object({
        schema: text,
        name: text,
        type: z.enum(['table', 'view']),
        comment: text.optional(),
        columns: z
          .array(
            z.object({
              name: text,
              type: text.describe('As spelled by the database.'),
              nullable: z.boolean(),
              comment: text.optional(),
            }),
          )
          .readonly(),
      }),
    )
    .readonly(),
  truncated: z.boolean().describe('True if there are more tables than listed.'),
});

const tag = 'Databases';

function readingRoutes({ databases, probe }: DatabaseUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'GET',
      path: '/databases',
      tag,
      summary: 'The databases that I manage or have in scope, by name',
      query: listQuery,
      response: listResponse(databaseResponse),
      keys: 'whole',
      handle: ({ principal, query }) => databases.list(principal, listRequest(query)),
    }),
    managementRoute({
      method: 'GET',
      path: '/databases/:id',
      tag,
      summary: 'A database',
      params: idParams,
      response: databaseResponse,
      keys: 'whole',
      handle: ({ principal, params }) => databases.get(principal, params.id),
    }),
    managementRoute({
      method: 'GET',
      path: '/databases/:id/schema',
      tag,
      summary: 'Its tables and columns, for authors of queries',
      params: idParams,
      query: z.object({ search: filterText.optional().describe('Part of the name of a table or column, ignoring case.') }),
      response: schemaResponse,
      compressed: true,
      keys: 'whole',
      handle: ({ principal, params, query, call }) => probe.schema(principal, params.id, query.search, call.signal),
    }),
  ];
}

function changingRoutes({ databases }: DatabaseUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'POST',
      path: '/databases',
      tag,
      summary: 'Add a database; does not connect to it',
      body: newDatabase,
      response: databaseResponse,
      created: true,
      needs: 'databases.manage',
      keys: 'whole',
      action: 'database.create',
      handle: ({ principal, body, draft }) => databases.create(principal, body, draft),
    }),
    managementRoute({
      method: 'PUT',
      path: '/databases/:id',
      tag,
      summary: 'Replace a database',
      params: idParams,
      body: replacedDatabase,
      response: databaseResponse,
      keys: 'whole',
      action: 'database.update',
      handle: ({ principal, params, body, ifMatch, draft }) => databases.replace(principal, params.id, body, ifMatch, draft),
    }),
    managementRoute({
      method: 'PATCH',
      path: '/databases/:id',
      tag,
      summary: 'Change fields of a database',
      params: idParams,
      body: changedDatabase,
      response: databaseResponse,
      keys: 'whole',
      action: 'database.update',
      handle: ({ principal, params, body, ifMatch, draft }) =>
        databases.change(principal, params.id, changeOf(body), ifMatch, draft),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/databases/:id',
      tag,
      summary: 'Remove a database that no Active query uses',
      params: idParams,
      response: null,
      keys: 'whole',
      action: 'database.delete',
      handle: ({ principal, params, ifMatch, draft }) => databases.remove(principal, params.id, ifMatch, draft),
    }),
  ];
}

function testRoutes({ probe }: DatabaseUseCases): readonly ManagementRoute[] {
  return [
    managementRoute({
      method: 'POST',
      path: '/databases/test',
      tag,
      summary: 'Test an unsaved connection',
      body: unsavedDatabase,
      response: testResponse,
      needs: 'databases.manage',
      keys: 'whole',
      action: 'database.test',
      handle: ({ principal, body, call, draft }) => probe.testUnsaved(principal, body, call.signal, draft),
    }),
    managementRoute({
      method: 'POST',
      path: '/databases/:id/test',
      tag,
      summary: 'Test a saved connection',
      params: idParams,
      response: testResponse,
      keys: 'whole',
      action: 'database.test',
      handle: ({ principal, params, call, draft }) => probe.test(principal, params.id, call.signal, draft),
    }),
  ];
}

/** Null clears a field. */
function changeOf(body: z.output<typeof changedDatabase>): DatabaseChange {
  const { name, kind, connection, settings, description, disabled, writable } = body;
  return {
    name,
    kind,
    connection,
    settings: settings === null ? {} : settings,
    description: description === null ? '' : description,
    disabled: disabled === null ? false : disabled,
    writable: writable === null ? false : writable,
  };
}
