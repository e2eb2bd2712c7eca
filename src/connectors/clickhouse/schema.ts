import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaTree } from '../statements/schema-tree.ts';
import type { Requests } from './request.ts';

const notInternal = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND NOT startsWith(";

export async function readSchema(requests: Requests): Promise<SchemaTree> {
  const tableComment = (await hasComments(requests, 'tables')) ? 'comment' : "''";
  const columnComment = (await hasComments(requests, 'columns')) ? 'comment' : "''";
  const found = await requests.rows(
    `SELECT database, name, engine, ${tableComment} FROM system.tables
     WHERE ${notInternal}name, '.inner') ORDER BY database, name LIMIT ${mostTables + 1}`,
  );
  const columns = await requests.rows(
    `SELECT database, table, name, type, ${columnComment} FROM system.columns WHERE ${notInternal}table, '.inner')`,
  );
  return schemaTree(
    found.map(([schema, table, engine = '', comment]) => ({ schema, table, isView: engine.endsWith('View'), comment })),
    columns.map(([schema, table, name, type = '', comment]) => {
      return { schema, table, name, type, nullable: /^(LowCardinality\()?Nullable\(/.test(type), comment };
    }),
  );
}

/** Older servers have no comment columns. */
async function hasComments(requests: Requests, table: string): Promise<boolean> {
  const sql = `SELECT count() FROM system.columns WHERE database = 'system' AND table = '${table}' AND name = 'comment'`;
  return (await requests.rows(sql))[0]?.[0] === '1';
}
