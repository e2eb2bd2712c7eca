import type { SchemaTree } from '../connector.ts';
import { mostTables, schemaTree } from '../statements/schema-tree.ts';
import type { Session } from './session.ts';

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

/** The tables of the connection's database that the account can see. */
export async function readSchema(session: Session): Promise<SchemaTree> {
  const [[schema] = []] = await session.rows('SELECT DATABASE()');
  const foundTables = (await session.rows(tables)).map(([table, type, comment]) => {
    const isView = type === 'VIEW';
    return { schema, table, isView, comment: isView ? undefined : comment }; // the comment of a view is always VIEW
  });
  const foundColumns = (await session.rows(columns)).map(([table, name, type, nullable, comment]) => {
    return { schema, table, name, type, nullable: nullable === 'YES', comment };
  });
  return schemaTree(foundTables, foundColumns);
}
