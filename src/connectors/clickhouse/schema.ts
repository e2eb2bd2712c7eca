import type { SchemaTable, SchemaTree } from '../connector.ts';
import type { Database } from './database.ts';
import { ownRows } from './own-rows.ts';
import type { Requests } from './request.ts';

const mostTables = 2000;
const notTheirs = "database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA') AND NOT startsWith(";

/** Comments came later than tables: older servers have no such columns. */
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
  const tables = new Map(
    found
      .slice(0, mostTables)
      .map(
        ([schema = '', name = '', engine = '', comment]): [
          string,
          SchemaTable & { columns: SchemaTable['columns'][number][] },
        ] => [
          key(schema, name),
          { schema, name, type: engine.endsWith('View') ? 'view' : 'table', ...commented(comment), columns: [] },
        ],
      ),
  );
  for (const [schema = '', table = '', name = '', type = '', comment] of columns) {
    const nullable = /^(LowCardinality\()?Nullable\(/.test(type);
    tables.get(key(schema, table))?.columns.push({ name, type, nullable, ...commented(comment) });
  }
  return { tables: [...tables.values()], truncated: found.length > mostTables };
}

const key = (schema: string, name: string): string => JSON.stringify([schema, name]);
const commented = (comment: string | undefined): { comment?: string } => (comment ? { comment } : {});
