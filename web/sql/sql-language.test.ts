import { expect, test } from 'vitest';
import { engineOf } from '../app/engine-of.ts';
import { findParameters } from './parameter-marks.ts';
import { toNamespace, type Schema, findDefaultSchema } from './sql-language.ts';

const table = (schema: string, name: string): Schema['tables'][number] => ({
  schema,
  name,
  type: 'table',
  columns: [{ name: 'id', type: 'bigint', nullable: false }],
});

test('groups tables by schema, or at the top level without schemas', () => {
  expect(toNamespace({ tables: [table('sales', 'orders')], truncated: false })).toHaveProperty(['sales', 'orders']);
  expect(toNamespace({ tables: [table('', 'orders')], truncated: false })).toHaveProperty('orders');
});

test('prefers a common default schema, otherwise the one with the most tables', () => {
  const tables = [table('audit', 'a'), table('audit', 'b'), table('public', 'c')];
  expect(findDefaultSchema({ tables, truncated: false })).toBe('public');
  expect(findDefaultSchema({ tables: tables.slice(0, 2).concat(table('x', 'y')), truncated: false })).toBe('audit');
  expect(findDefaultSchema({ tables: [table('', 'a')], truncated: false })).toBeNull();
});

test('highlights parameters only where the service reads a value', () => {
  const sql = "select '@no' -- @no\nfrom t where a = @Region and b = @@version";
  expect(findParameters(sql, engineOf('sqlserver').dialect).map(({ start, end }) => sql.slice(start, end))).toEqual(['@Region']);
});
