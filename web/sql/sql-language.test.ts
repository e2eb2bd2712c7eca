import { expect, test } from 'vitest';
import { parameterPlaces } from './parameter-marks.ts';
import { namespaceOf, type Schema, defaultSchema } from './sql-language.ts';

const table = (schema: string, name: string): Schema['tables'][number] => ({
  schema,
  name,
  type: 'table',
  columns: [{ name: 'id', type: 'bigint', nullable: false }],
});

test('tables lie in their schemas, and at the top where there are none', () => {
  expect(namespaceOf({ tables: [table('sales', 'orders')], truncated: false })).toHaveProperty(['sales', 'orders']);
  expect(namespaceOf({ tables: [table('', 'orders')], truncated: false })).toHaveProperty('orders');
});

test('the usual schema needs no prefix, else the one with most tables', () => {
  const tables = [table('audit', 'a'), table('audit', 'b'), table('public', 'c')];
  expect(defaultSchema({ tables, truncated: false })).toBe('public');
  expect(defaultSchema({ tables: tables.slice(0, 2).concat(table('x', 'y')), truncated: false })).toBe('audit');
  expect(defaultSchema({ tables: [table('', 'a')], truncated: false })).toBeNull();
});

test('parameters are marked where the service takes a value, and nowhere else', () => {
  const sql = "select '@no' -- @no\nfrom t where a = @Region and b = @@version";
  expect(parameterPlaces(sql, 'sqlserver').map(({ start, end }) => sql.slice(start, end))).toEqual(['@Region']);
});
