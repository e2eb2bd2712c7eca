import type { SchemaTable, SchemaTree } from '../connector.ts';
import type { Session } from './session.ts';

const mostTables = 2000;

const tables = `
  SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT
  FROM information_schema.TABLES
  WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
  ORDER BY TABLE_NAME
  LIMIT ${mostTables + 1}`;

const columns = `
  SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT
  FROM information_schema.COLUMNS
  WHERE TABLE_SCHEMA = DATABASE()
  ORDER BY TABLE_NAME, ORDINAL_POSITION`;

/** What the connection's own database holds, as far as the account may see it. */
export async function readSchema(session: Session): Promise<SchemaTree> {
  const [[schema] = []] = await session.rows('SELECT DATABASE()');
  const found = await session.rows(tables);
  const byName = new Map<string, SchemaTable & { columns: SchemaTable['columns'][number][] }>();
  for (const [name, type, comment] of found.slice(0, mostTables)) {
    const isView = type === 'VIEW';
    byName.set(String(name), {
      schema: String(schema),
      name: String(name),
      type: isView ? 'view' : 'table',
      ...(isView ? {} : commented(comment)), // a view's comment says that it is one
      columns: [],
    });
  }
  for (const [table, name, type, nullable, comment] of await session.rows(columns)) {
    byName
      .get(String(table))
      ?.columns.push({ name: String(name), type: String(type), nullable: nullable === 'YES', ...commented(comment) });
  }
  return { tables: [...byName.values()], truncated: found.length > mostTables };
}

const commented = (comment: unknown): { comment?: string } => (typeof comment === 'string' && comment !== '' ? { comment } : {});
