import { integer, listOf, objectOf, string } from '../json-schema.ts';
import { rendered, jsonResponse, tool } from '../tool.ts';

export const listDatabases = tool({
  name: 'list_databases',
  title: 'List databases',
  description:
    'Lists the databases that this key may use, with engine, description and number of queries. Use it for an overview, or to choose a database for list_queries. Not for tables or schemas: only stored queries can be run.',
  arguments: {},
  output: objectOf({
    databases: listOf(
      objectOf({
        name: string('Name of the database.'),
        engine: string('duckdb, sqlite, postgres, mysql, sqlserver, clickhouse or trino.'),
        description: string('What it contains; may be empty.'),
        queryCount: integer('Number of queries on it that this key may run.'),
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
