import type { SchemaTable, SchemaTree } from '../connector.ts';

/** Query one more, to know whether there are others. */
export const mostTables = 2000;

interface FoundTable {
  readonly schema: unknown;
  readonly table: unknown;
  readonly isView: boolean;
  readonly comment?: unknown;
}

interface FoundColumn {
  readonly schema: unknown;
  readonly table: unknown;
  readonly name: unknown;
  readonly type: unknown;
  readonly nullable: boolean;
  readonly comment?: unknown;
}

/** The tables in the order in which they are first named, with their columns. */
export function schemaTree(tables: readonly FoundTable[], columns: readonly FoundColumn[]): SchemaTree {
  const found = new Map<string, SchemaTable & { columns: SchemaTable['columns'][number][] }>();
  for (const { schema, table, isView, comment } of tables) {
    const key = tableKey(schema, table);
    if (found.has(key)) continue;
    const type = isView ? 'view' : 'table';
    found.set(key, { schema: String(schema), name: String(table), type, ...commentField(comment), columns: [] });
  }
  for (const { schema, table, name, type, nullable, comment } of columns) {
    const column = { name: String(name), type: String(type), nullable, ...commentField(comment) };
    found.get(tableKey(schema, table))?.columns.push(column);
  }
  const all = [...found.values()];
  return { tables: all.slice(0, mostTables), truncated: all.length > mostTables };
}

/** The same from rows of schema, table, 'table' or 'view', its comment, column, type, whether it is nullable, its comment. */
export function schemaOfRows(rows: readonly (readonly unknown[])[]): SchemaTree {
  const tables = rows.map(([schema, table, type, comment]) => ({ schema, table, isView: type === 'view', comment }));
  const columns = rows.map(([schema, table, , , name, type, nullable, comment]) => {
    return { schema, table, name, type, nullable: nullable === true, comment };
  });
  return schemaTree(
    tables,
    columns.filter(({ name }) => typeof name === 'string'), // an invalid view has no columns
  );
}

export const tableKey = (schema: unknown, table: unknown): string => JSON.stringify([schema, table]);

const commentField = (comment: unknown): { comment?: string } =>
  typeof comment === 'string' && comment !== '' ? { comment } : {};
