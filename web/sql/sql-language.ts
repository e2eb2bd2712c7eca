import type { Completion } from '@codemirror/autocomplete';
import {
  MSSQL,
  MySQL,
  PostgreSQL,
  type SQLDialect,
  SQLite,
  type SQLNamespace,
  StandardSQL,
  sql as sqlSupport,
} from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';
import type { SqlDialect } from '../../src/catalog/sql-dialect.ts';
import type { DatabaseSchema } from '../app/api-types.ts';

export type Schema = DatabaseSchema;

/** The dialect of an engine, with tables and columns for completion. */
export function sqlLanguage(dialect: SqlDialect, schema: Schema | null): Extension {
  const base = { dialect: keywords[dialect.keywords], upperCaseKeywords: true };
  if (schema === null) return sqlSupport(base);
  const preferred = findDefaultSchema(schema);
  return sqlSupport({ ...base, schema: toNamespace(schema), ...(preferred === null ? {} : { defaultSchema: preferred }) });
}

const keywords: Readonly<Record<SqlDialect['keywords'], SQLDialect>> = {
  standard: StandardSQL,
  postgres: PostgreSQL,
  mysql: MySQL,
  sqlserver: MSSQL,
  sqlite: SQLite,
};

/** The completions by schema and table, or by table if the engine has no schemas. */
export function toNamespace({ tables }: Schema): SQLNamespace {
  const schemas: Record<string, Record<string, SQLNamespace>> = {};
  for (const { schema, name, type, comment, columns } of tables) {
    const tablesOfSchema = schemas[schema] ?? {};
    schemas[schema] = tablesOfSchema;
    tablesOfSchema[name] = {
      self: { label: name, type: 'class', detail: type, ...(comment === undefined ? {} : { info: comment }) },
      children: columns.map((column): Completion => ({
        label: column.name,
        type: 'property',
        detail: column.type,
        ...(column.comment === undefined ? {} : { info: column.comment }),
      })),
    };
  }
  return schemas[''] ?? schemas;
}

/** Chooses the schema whose tables are completed without a prefix. */
export function findDefaultSchema({ tables }: Schema): string | null {
  const counts = new Map<string, number>();
  for (const { schema } of tables) counts.set(schema, (counts.get(schema) ?? 0) + 1);
  const named = [...counts].filter(([name]) => name !== '');
  const preferred = named.find(([name]) => defaultSchemas.has(name.toLowerCase()));
  return preferred?.[0] ?? named.toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

const defaultSchemas = new Set(['public', 'main', 'dbo']);
