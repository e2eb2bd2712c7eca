import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { engines } from '../../../src/connectors/engines.ts';

export const dialects: readonly SqlDialect[] = engines.map(({ dialect }) => dialect);

export function dialectOf(kind: string): SqlDialect {
  const dialect = dialects.find(({ name }) => name === kind);
  if (dialect === undefined) throw new Error(`There is no engine ${kind}.`);
  return dialect;
}
