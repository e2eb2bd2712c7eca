import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaOfRows } from '../statements/schema-tree.ts';
import type { Session } from './session.ts';

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
    a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, pg_catalog.col_description(shown.oid, a.attnum)
  FROM shown
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = shown.oid AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY shown.nspname COLLATE "C", shown.relname COLLATE "C", a.attnum`;

const nullable = 6; // the column of the result

export async function readSchema(session: Session): Promise<SchemaTree> {
  const rows = await session.rows(tablesAndColumns);
  return schemaOfRows(rows.map((cells) => cells.map((cell, index) => (index === nullable ? cell === 't' : cell))));
}
