import type { SchemaTree } from '../../connector.ts';
import { mostTables, schemaOfRows } from '../../statements/schema-tree.ts';
import type { Session } from './session.ts';

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

export const readSchema = async (session: Session): Promise<SchemaTree> => schemaOfRows(await session.rows(tablesAndColumns));
