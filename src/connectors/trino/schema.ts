import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaTree, tableKey } from '../schema-tree.ts';
import { literal } from './parameters.ts';
import { type QueryClient, TrinoError } from './query-client.ts';
import type { TrinoRow } from './query-page.ts';
import type { TrinoSettings } from './settings.ts';

export async function readSchema(query: QueryClient, settings: TrinoSettings): Promise<SchemaTree> {
  const found = await query.rows(tablesText(settings));
  const columns = await query.rows(columnsText(settings));
  const comments = new Map((await commentsOf(query, settings)).map(([schema, table, text]) => [tableKey(schema, table), text]));
  return schemaTree(
    found.map(([schema, table, type]) => {
      return { schema, table, isView: String(type).includes('VIEW'), comment: comments.get(tableKey(schema, table)) };
    }),
    columns.map(([schema, table, name, type, nullable, comment]) => {
      return { schema, table, name, type, nullable: nullable !== 'NO', comment };
    }),
  );
}

const own = "<> 'information_schema'";

const tablesText = ({ catalog }: TrinoSettings): string =>
  `SELECT table_schem, table_name, table_type FROM system.jdbc.tables
   WHERE table_cat = ${literal(catalog)} AND table_schem ${own} ORDER BY 1, 2 LIMIT ${mostTables + 1}`;

const columnsText = ({ catalog }: TrinoSettings): string =>
  `SELECT table_schem, table_name, column_name, type_name, is_nullable, remarks FROM system.jdbc.columns
   WHERE table_cat = ${literal(catalog)} AND table_schem ${own} ORDER BY table_schem, table_name, ordinal_position`;

/** Comments of tables are optional: some catalogs refuse to list them. */
async function commentsOf(query: QueryClient, { catalog }: TrinoSettings): Promise<readonly TrinoRow[]> {
  const sql = `SELECT schema_name, table_name, comment FROM system.metadata.table_comments
   WHERE catalog_name = ${literal(catalog)} AND schema_name ${own} AND comment IS NOT NULL LIMIT ${mostTables}`;
  try {
    return await query.rows(sql);
  } catch (error) {
    if (error instanceof TrinoError) return [];
    throw error;
  }
}
