import type { SchemaTable, SchemaTree } from '../connector.ts';
import type { Database } from './database.ts';
import { ownRows } from './own-rows.ts';
import { literal } from './parameters.ts';
import { type QueryClient, TrinoError } from './query-client.ts';
import type { TrinoRow } from './query-page.ts';
import type { TrinoSettings } from './settings.ts';

const mostTables = 2000;

export async function readSchema(database: Database, query: QueryClient, settings: TrinoSettings): Promise<SchemaTree> {
  const found = await ownRows(database, query, tablesText(settings));
  const columns = await ownRows(database, query, columnsText(settings));
  const comments = new Map(
    (await commentsOf(database, query, settings)).map(([schema, name, text]) => [key(schema, name), text]),
  );
  const tables = new Map(
    found.slice(0, mostTables).map((row): [string, SchemaTable & { columns: SchemaTable['columns'][number][] }] => {
      const [schema, name, type] = row;
      const table = {
        schema: String(schema),
        name: String(name),
        type: String(type).includes('VIEW') ? ('view' as const) : ('table' as const),
        ...commented(comments.get(key(schema, name))),
        columns: [],
      };
      return [key(schema, name), table];
    }),
  );
  for (const [schema, table, name, type, nullable, comment] of columns) {
    tables
      .get(key(schema, table))
      ?.columns.push({ name: String(name), type: String(type), nullable: nullable !== 'NO', ...commented(comment) });
  }
  return { tables: [...tables.values()], truncated: found.length > mostTables };
}

const own = "<> 'information_schema'";

const tablesText = ({ catalog }: TrinoSettings): string =>
  `SELECT table_schem, table_name, table_type FROM system.jdbc.tables
   WHERE table_cat = ${literal(catalog)} AND table_schem ${own} ORDER BY 1, 2 LIMIT ${mostTables + 1}`;

const columnsText = ({ catalog }: TrinoSettings): string =>
  `SELECT table_schem, table_name, column_name, type_name, is_nullable, remarks FROM system.jdbc.columns
   WHERE table_cat = ${literal(catalog)} AND table_schem ${own} ORDER BY table_schem, table_name, ordinal_position`;

/** Comments of tables are a luxury: some catalogs refuse to tell them. */
async function commentsOf(database: Database, query: QueryClient, { catalog }: TrinoSettings): Promise<readonly TrinoRow[]> {
  const sql = `SELECT schema_name, table_name, comment FROM system.metadata.table_comments
   WHERE catalog_name = ${literal(catalog)} AND schema_name ${own} AND comment IS NOT NULL LIMIT ${mostTables}`;
  try {
    return await ownRows(database, query, sql);
  } catch (error) {
    if (error instanceof TrinoError) return [];
    throw error;
  }
}

const key = (schema: unknown, name: unknown): string => JSON.stringify([schema, name]);
const commented = (comment: unknown): { comment?: string } => (typeof comment === 'string' && comment !== '' ? { comment } : {});
