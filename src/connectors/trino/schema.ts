import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaTree, tableKey } from '../statements/schema-tree.ts';
import { quoteText } from './parameters.ts';
import { type QueryClient, TrinoError, type TrinoRow } from './query-client.ts';
import type { TrinoSettings } from './settings.ts';

export async function readSchema(query: QueryClient, { catalog }: TrinoSettings): Promise<SchemaTree> {
  const isOfCatalog = `table_cat = ${quoteText(catalog)} AND table_schem <> 'information_schema'`;
  const tables = await query.rows(
    `SELECT table_schem, table_name, table_type FROM system.jdbc.tables
     WHERE ${isOfCatalog} ORDER BY 1, 2 LIMIT ${mostTables + 1}`,
  );
  const columns = await query.rows(
    `SELECT table_schem, table_name, column_name, type_name, is_nullable, remarks FROM system.jdbc.columns
     WHERE ${isOfCatalog} ORDER BY table_schem, table_name, ordinal_position`,
  );
  const comments = new Map((await readComments(query, catalog)).map(([schema, table, text]) => [tableKey(schema, table), text]));
  return schemaTree(
    tables.map(([schema, table, type]) => {
      return { schema, table, isView: String(type).includes('VIEW'), comment: comments.get(tableKey(schema, table)) };
    }),
    columns.map(([schema, table, name, type, nullable, comment]) => {
      return { schema, table, name, type, nullable: nullable !== 'NO', comment };
    }),
  );
}

/** Comments of tables are optional: some catalogs refuse to list them. */
async function readComments(query: QueryClient, catalog: string): Promise<readonly TrinoRow[]> {
  try {
    return await query.rows(
      `SELECT schema_name, table_name, comment FROM system.metadata.table_comments
       WHERE catalog_name = ${quoteText(catalog)} AND schema_name <> 'information_schema' AND comment IS NOT NULL LIMIT ${mostTables}`,
    );
  } catch (error) {
    if (error instanceof TrinoError) return [];
    throw error;
  }
}
