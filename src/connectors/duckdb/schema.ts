import type { SqlValue } from '../../sql-value.ts';
import type { SchemaTable, SchemaTree } from '../connector.ts';
import type { Session } from './session.ts';

const mostTables = 2000;

const tablesAndColumns = `
  WITH shown AS (
    SELECT schema_name, table_name AS name, 'table' AS type, comment, table_oid AS oid
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT schema_name, view_name, 'view', comment, view_oid
    FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    ORDER BY ALL
    LIMIT ${mostTables + 1}
  )
  SELECT shown.schema_name, shown.name, shown.type, shown.comment, c.column_name, c.data_type, c.is_nullable, c.comment
  FROM shown
  LEFT JOIN duckdb_columns() c
    ON c.database_name = current_database() AND c.schema_name = shown.schema_name AND c.table_name = shown.name
  ORDER BY shown.schema_name, shown.name, c.column_index`;

export async function readSchema(session: Session): Promise<SchemaTree> {
  const tables = new Map<string, SchemaTable & { columns: SchemaTable['columns'][number][] }>();
  for (const [schema, name, type, comment, column, columnType, nullable, columnComment] of await session.rows(tablesAndColumns)) {
    const key = JSON.stringify([schema, name]);
    const table = tables.get(key) ?? {
      schema: String(schema),
      name: String(name),
      type: type === 'view' ? ('view' as const) : ('table' as const),
      ...commented(comment),
      columns: [],
    };
    tables.set(key, table);
    if (typeof column !== 'string') continue; // a view that no longer binds has no columns
    table.columns.push({ name: column, type: String(columnType), nullable: nullable === true, ...commented(columnComment) });
  }
  const all = [...tables.values()];
  return { tables: all.slice(0, mostTables), truncated: all.length > mostTables };
}

const commented = (comment: SqlValue | undefined): { comment?: string } =>
  typeof comment === 'string' && comment !== '' ? { comment } : {};
