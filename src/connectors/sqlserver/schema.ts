import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaOfRows } from '../statements/schema-tree.ts';
import type { Session } from './session.ts';

/** The catalog views show only what the account may see. */
const tablesAndColumns = `
  WITH shown AS (
    SELECT TOP (${mostTables + 1}) o.object_id, s.name AS schema_name, o.name, o.type
    FROM sys.objects o
    JOIN sys.schemas s ON s.schema_id = o.schema_id
    WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
    ORDER BY s.name, o.name
  )
  SELECT shown.schema_name, shown.name, CASE WHEN shown.type = 'V' THEN 'view' ELSE 'table' END,
    CAST(tc.value AS nvarchar(4000)), c.name,
    CASE
      WHEN t.name IN ('decimal', 'numeric') THEN CONCAT(t.name, '(', c.precision, ',', c.scale, ')')
      WHEN t.name IN ('datetime2', 'datetimeoffset', 'time') THEN CONCAT(t.name, '(', c.scale, ')')
      WHEN t.name IN ('char', 'varchar', 'binary', 'varbinary', 'nchar', 'nvarchar')
        THEN CONCAT(t.name, '(', CASE WHEN c.max_length = -1 THEN 'max'
          ELSE CAST(CASE WHEN t.name LIKE 'n%' THEN c.max_length / 2 ELSE c.max_length END AS varchar(10)) END, ')')
      ELSE t.name
    END,
    c.is_nullable, CAST(cc.value AS nvarchar(4000))
  FROM shown
  LEFT JOIN sys.columns c ON c.object_id = shown.object_id
  LEFT JOIN sys.types t ON t.user_type_id = c.user_type_id
  LEFT JOIN sys.extended_properties tc
    ON tc.class = 1 AND tc.major_id = shown.object_id AND tc.minor_id = 0 AND tc.name = 'MS_Description'
  LEFT JOIN sys.extended_properties cc
    ON cc.class = 1 AND cc.major_id = c.object_id AND cc.minor_id = c.column_id AND cc.name = 'MS_Description'
  ORDER BY shown.schema_name, shown.name, c.column_id`;

export const readSchema = async (session: Session): Promise<SchemaTree> => schemaOfRows(await session.rows(tablesAndColumns));
