import type { SchemaTable, SchemaTree } from '../connector.ts';
import type { Session } from './session.ts';

const mostTables = 2000;

/** The tables that the account may read; partitions are represented by their table. */
const tablesAndColumns = `
  WITH shown AS (
    SELECT c.oid, n.nspname, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS type
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT c.relispartition
      AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
    ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C"
    LIMIT ${mostTables + 1}
  )
  SELECT shown.nspname, shown.relname, shown.type, pg_catalog.obj_description(shown.oid, 'pg_class'),
    a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_catalog.col_description(shown.oid, a.attnum)
  FROM shown
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = shown.oid AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY shown.nspname COLLATE "C", shown.relname COLLATE "C", a.attnum`;

export async function readSchema(session: Session): Promise<SchemaTree> {
  const tables = new Map<string, SchemaTable & { columns: SchemaTable['columns'][number][] }>();
  for (const [schema, name, type, comment, column, columnType, notNull, columnComment] of await session.rows(tablesAndColumns)) {
    const key = JSON.stringify([schema, name]);
    const table = tables.get(key) ?? {
      schema: schema ?? '',
      name: name ?? '',
      type: type === 'view' ? ('view' as const) : ('table' as const),
      ...commented(comment),
      columns: [],
    };
    tables.set(key, table);
    if (!column) continue; // a table may have none
    table.columns.push({ name: column, type: columnType ?? '', nullable: notNull !== 't', ...commented(columnComment) });
  }
  const all = [...tables.values()];
  return { tables: all.slice(0, mostTables), truncated: all.length > mostTables };
}

const commented = (comment: string | null | undefined): { comment?: string } => (comment ? { comment } : {});
