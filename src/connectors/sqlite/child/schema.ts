import type { SchemaTree } from '../../connector.ts';
import { mostTables, schemaTree } from '../../statements/schema-tree.ts';
import type { GuardedDatabase } from './guard.ts';

const tables = `
  SELECT name, type, wr
  FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
  ORDER BY name
  LIMIT ${mostTables + 1}`;

const columns = `SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid`;

export function readSchema({ database }: GuardedDatabase): SchemaTree {
  const columnsOf = database.prepare(columns);
  const found = database.prepare(tables).all() as unknown as [string, string, bigint][]; // arrays, because of the options
  return schemaTree(
    found.map(([table, type]) => ({ schema: 'main', table, isView: type === 'view' })),
    found.flatMap(([table, , withoutRowid]) => readColumns(table, withoutRowid === 1n)),
  );

  function readColumns(table: string, keyIsNotNull: boolean) {
    try {
      const read = columnsOf.all(table) as unknown as [string, string | null, bigint, bigint][];
      return read.map(([name, type, notNull, key]) => {
        const nullable = notNull === 0n && !(key > 0n && (keyIsNotNull || type?.toUpperCase() === 'INTEGER'));
        return { schema: 'main', table, name, type: type ?? '', nullable };
      });
    } catch {
      return []; // a view that no longer compiles, a virtual table whose module is missing
    }
  }
}
