import type { SchemaTable, SchemaTree } from '../../connector.ts';
import type { GuardedDatabase } from './guard.ts';

const mostTables = 2000;

const tables = `
  SELECT name, type, wr
  FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name
  LIMIT ${mostTables + 1}`;

const columns = `SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`;

export function readSchema({ database }: GuardedDatabase): SchemaTree {
  const columnsOf = database.prepare(columns);
  const rows = database.prepare(tables).all() as unknown as [string, string, bigint][]; // arrays, because of the options
  const found = rows.slice(0, mostTables).map(([name, type, withoutRowid]): SchemaTable => {
    return {
      schema: 'main',
      name,
      type: type === 'view' ? 'view' : 'table',
      columns: readColumns(name, withoutRowid === 1n),
    };
  });
  return { tables: found, truncated: rows.length > mostTables };

  function readColumns(table: string, keyIsNotNull: boolean): SchemaTable['columns'] {
    try {
      const read = columnsOf.all(table) as unknown as [string, string | null, bigint, bigint][];
      return read.map(([name, type, notNull, key]) => ({
        name,
        type: type ?? '',
        nullable: notNull === 0n && !(key > 0n && (keyIsNotNull || type?.toUpperCase() === 'INTEGER')),
      }));
    } catch {
      return []; // a view that no longer compiles, a virtual table whose module is missing
    }
  }
}
