import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaTree } from '../schema-tree.ts';
import type { Database } from './database.ts';
import { ownRows } from './own-rows.ts';
import type { Requests } from './request.ts';

const notTheirs = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND NOT startsWith(";

/** Older servers have no comment columns. */
async function hasComments(database: Database, requests: Requests, table: string): Promise<boolean> {
  const sql = `SELECT count() FROM system.columns WHERE database = 'system' AND table = '${table}' AND name = 'comment'`;
  return (await ownRows(database, requests, sql))[0]?.[0] === '1';
}

export async function readSchema(database: Database, requests: Requests): Promise<SchemaTree> {
  const tableComment = (await hasComments(database, requests, 'tables')) ? 'comment' : "''";
  const columnComment = (await hasComments(database, requests, 'columns')) ? 'comment' : "''";
  const found = await ownRows(
    database,
    requests,
    `SELECT database, name, engine, ${tableComment} FROM system.tables
     WHERE ${notTheirs}name, '.inner') ORDER BY database, name LIMIT ${mostTables + 1}`,
  );
  const columns = await ownRows(
    database,
    requests,
    `SELECT database, table, name, type, ${columnComment} FROM system.columns WHERE ${notTheirs}table, '.inner')`,
  );
  return schemaTree(
    found.map(([schema, table, engine = '', comment]) => ({ schema, table, isView: engine.endsWith('View'), comment })),
    columns.map(([schema, table, name, type = '', comment]) => {
      return { schema, table, name, type, nullable: /^(LowCardinality\()?Nullable\(/.test(type), comment };
    }),
  );
}
