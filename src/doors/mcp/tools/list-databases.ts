import { integer, listOf, objectOf, string } from '../json-schema.ts';
import { rendered, jsonResponse, tool } from '../tool.ts';

export const listDatabases = tool({
  name: 'list_databases',
  title: 'List databases',
  description:
    'Lists the databases that this key reaches, with engine, description and the number of queries to run there. Use it to orient yourself, or to pick a database for list_queries. Not for tables or schemas: only stored queries can be run.',
  arguments: {},
  output: objectOf({
    databases: listOf(
      objectOf({
        name: string('Name of the database.'),
        engine: string('duckdb, sqlite, postgres, mysql, sqlserver, clickhouse or trino.'),
        description: string('What it holds; may be empty.'),
        queryCount: integer('Queries that this key may run there.'),
      }),
      'Databases in scope.',
    ),
  }),
  call: (parts, call, read) =>
    rendered(parts.browse.databases(call, read), (summaries) =>
      jsonResponse({
        databases: summaries.map(({ database: { name, kind, description }, queryCount }) => ({
          name,
          engine: kind,
          description,
          queryCount,
        })),
      }),
    ),
});
