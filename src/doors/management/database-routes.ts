import { z } from 'zod';
import type { DatabaseProbe } from '../../administration/databases/database-probe.ts';
import type { Databases } from '../../administration/databases/databases.ts';
import { clearable } from '../../catalog/wire-field.ts';
import { engines } from '../../connectors/engines.ts';
import { nameSchemas } from '../http/operation.ts';
import { filterText, listResponse, listQuery, listRequest, time } from './list-query.ts';
import { authorFailures, changeFailures, type ManagementRoute, routesOf } from './management-route.ts';

export interface DatabaseUseCases {
  readonly databases: Databases;
  readonly probe: DatabaseProbe;
}

export function databaseRoutes(useCases: DatabaseUseCases): readonly ManagementRoute[] {
  return [...readingRoutes(useCases), ...changingRoutes(useCases)];
}

const fields = z.record(z.string(), z.unknown());
const name = z.string().describe('1 to 100 characters, unique ignoring case. Part of the technical names of its queries.');
const words = (type: 'conjunction' | 'disjunction', each: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type }).format(each);
const kinds = words(
  'disjunction',
  engines.map((engine) => `\`${engine.kind}\``),
);
const kind = z.string().describe(`${kinds}. Cannot be changed.`);
const filesOf = words(
  'conjunction',
  engines.filter((engine) => engine.connection === 'file').map(({ label }) => label),
);
const connection = fields.describe(
  `\`{host, port, user, password, database, tls?}\`, or \`{file}\` for ${filesOf}. Secrets are never returned.`,
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
    'Replaces the connection. An omitted secret is kept, unless another field of the connection changed: then send it again.',
  ),
});
const changedDatabase = z.object({
  name: name.optional(),
  kind: kind.optional(),
  connection: connection
    .optional()
    .describe('The fields to change; null removes a field. If any other than a secret changes, send the secret, too.'),
  settings: clearable(settings, {}).describe('Replaces the settings; null: none.'),
  description: clearable(description, ''),
  disabled: clearable(disabled, false),
  writable: clearable(writable, false),
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
  lastTest: z
    .object({ at: time, ok: z.boolean(), message: z.string().optional().describe('Why it failed.') })
    .nullish()
    .describe(`The last test of the saved connection; null: none since it was changed. ${onlyManagers}`),
});
const testResponse = z.object({
  ok: z.boolean(),
  message: z.string().optional().describe('Warnings, or why it could not be reached and what to check.'),
  detail: z.string().optional().describe('The error of the driver or the server.'),
});

const text = z.string();
const column = z.object({
  name: text,
  type: text.describe('As spelled by the database.'),
  nullable: z.boolean(),
  comment: text.optional(),
});
const table = z.object({
  schema: text,
  name: text,
  type: z.enum(['table', 'view']),
  comment: text.optional(),
  columns: z.array(column).readonly(),
});
const schemaResponse = z.object({
  tables: z.array(table).readonly(),
  truncated: z.boolean().describe('True if there are more tables than listed.'),
});

nameSchemas({
  NewDatabase: newDatabase,
  DatabaseReplacement: replacedDatabase,
  DatabaseChange: changedDatabase,
  UnsavedDatabase: unsavedDatabase,
  Database: databaseResponse,
  ConnectionTest: testResponse,
  DatabaseSchema: schemaResponse,
});

const route = routesOf({ tag: 'Databases', keys: 'whole' });

function readingRoutes({ databases, probe }: DatabaseUseCases): readonly ManagementRoute[] {
  return [
    route('GET', '/databases', 'The databases that I manage or have in scope, by name', {
      id: 'listDatabases',
      query: listQuery,
      response: listResponse(databaseResponse),
      handle: ({ principal, query }) => databases.list(principal, listRequest(query)),
    }),
    route('GET', '/databases/:id', 'A database', {
      id: 'getDatabase',
      response: databaseResponse,
      handle: ({ principal, id }) => databases.get(principal, id),
    }),
    route('GET', '/databases/:id/schema', 'Its tables and columns, for authors of queries', {
      id: 'getDatabaseSchema',
      query: z.object({ search: filterText.optional().describe('Part of the name of a table or column, ignoring case.') }),
      response: schemaResponse,
      compressed: true,
      failures: ['PermissionDenied', 'StateConflict', ...authorFailures],
      handle: ({ principal, id, query, call }) => probe.schema(principal, id, query.search, call.signal),
    }),
  ];
}

function changingRoutes({ databases, probe }: DatabaseUseCases): readonly ManagementRoute[] {
  return [
    route('POST', '/databases', 'Add a database; does not connect to it', {
      id: 'createDatabase',
      body: newDatabase,
      response: databaseResponse,
      created: true,
      needs: 'databases.manage',
      action: 'database.create',
      failures: ['NameTaken'],
      example: {
        body: {
          name: 'Warehouse',
          kind: 'postgres',
          connection: {
            host: 'db.example.org',
            port: 5432,
            user: 'sluice',
            password: 'secret',
            database: 'warehouse',
            tls: true,
          },
          description: 'Orders and stock, refreshed every night',
        },
      },
      handle: ({ principal, body, draft }) => databases.create(principal, body, draft),
    }),
    route('PUT', '/databases/:id', 'Replace a database', {
      id: 'replaceDatabase',
      body: replacedDatabase,
      response: databaseResponse,
      action: 'database.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => databases.replace(principal, id, body, ifMatch, draft),
    }),
    route('PATCH', '/databases/:id', 'Change fields of a database', {
      id: 'changeDatabase',
      body: changedDatabase,
      response: databaseResponse,
      action: 'database.update',
      failures: changeFailures,
      handle: ({ principal, id, body, ifMatch, draft }) => databases.change(principal, id, body, ifMatch, draft),
    }),
    route('DELETE', '/databases/:id', 'Remove a database that no Active query uses', {
      id: 'deleteDatabase',
      response: null,
      action: 'database.delete',
      failures: ['PermissionDenied', 'InUse', 'VersionConflict'],
      handle: ({ principal, id, ifMatch, draft }) => databases.remove(principal, id, ifMatch, draft),
    }),
    route('POST', '/databases/test', 'Test an unsaved connection', {
      id: 'testUnsavedDatabase',
      body: unsavedDatabase,
      response: testResponse,
      needs: 'databases.manage',
      action: 'database.test',
      handle: ({ principal, body, call, draft }) => probe.testUnsaved(principal, body, call.signal, draft),
    }),
    route('POST', '/databases/:id/test', 'Test a saved connection', {
      id: 'testDatabase',
      response: testResponse,
      action: 'database.test',
      failures: ['PermissionDenied'],
      handle: ({ principal, id, call, draft }) => probe.test(principal, id, call.signal, draft),
    }),
  ];
}
