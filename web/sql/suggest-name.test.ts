import { expect, test } from 'vitest';
import { engineOf } from '../app/engine-of.ts';
import { suggestName } from './suggest-name.ts';

const column = (name: string) => ({ name, type: 'text', nullable: true });
const schema = {
  truncated: false,
  tables: [
    { schema: 'main', name: 'customers', type: 'table' as const, columns: ['customer_id', 'name', 'Postal Code'].map(column) },
    { schema: 'main', name: 'orders', type: 'table' as const, columns: ['order_id', 'customer_id', 'net_amount'].map(column) },
  ],
};
const suggest = (sql: string, message: string, kind = 'duckdb') =>
  suggestName(sql, engineOf(kind).dialect, { message }, schema)?.sql ?? null;

test.each([
  ['duckdb', 'Table with name custmer does not exist!'],
  ['postgres', 'relation "custmer" does not exist'],
  ['mysql', "Table 'shop.custmer' doesn't exist"],
  ['sqlite', 'no such table: custmer'],
  ['sqlserver', "Invalid object name 'custmer'."],
  ['trino', "line 1:15: Table 'memory.shop.custmer' does not exist"],
])('mends a table that %s does not know', (kind, message) => {
  expect(suggest('select * from custmer', message, kind)).toBe('select * from customers');
});

test.each([
  ['duckdb', 'Table "c" does not have a column named "nmae"'],
  ['postgres', 'column c.nmae does not exist'],
  ['mysql', "Unknown column 'c.nmae' in 'SELECT'"],
  ['sqlite', 'no such column: c.nmae'],
  ['sqlserver', "Invalid column name 'nmae'."],
  ['trino', "Column 'c.nmae' cannot be resolved"],
  ['clickhouse', "Unknown expression identifier 'c.nmae' in scope"],
])('mends a column that %s does not know', (kind, message) => {
  expect(suggest('select c.nmae from customers c', message, kind)).toBe('select c.name from customers c');
});

test('mends every use of the name, but no alias, string or comment', () => {
  const message = 'Table with name custmers does not exist!';
  expect(suggest("select custmers.name as custmers, 'custmers' from custmers -- custmers", message)).toBe(
    "select customers.name as custmers, 'custmers' from customers -- custmers",
  );
});

test('quotes a name that needs it', () => {
  const message = 'Referenced column "postalcode" not found in FROM clause!';
  expect(suggest('select postalcode from customers', message)).toBe('select "Postal Code" from customers');
  expect(suggest('select postalcode from customers', "Unknown column 'postalcode' in 'SELECT'", 'mysql')).toBe(
    'select `Postal Code` from customers',
  );
  expect(suggest('select "postalcode" from customers', message)).toBe('select "Postal Code" from customers');
});

test('prefers the columns of the tables that the SQL uses', () => {
  expect(suggest('select nam from orders', 'column "nam" does not exist', 'postgres')).toBeNull();
});

test('suggests nothing for other errors, known names and names that are like none', () => {
  expect(suggest('select * form customers', 'syntax error at or near "form"')).toBeNull();
  expect(suggest('select nmae(1)', 'function nmae(integer) does not exist', 'postgres')).toBeNull();
  expect(suggest('select name from orders', 'column "name" does not exist', 'postgres')).toBeNull();
  expect(suggest('select * from zzzzzz', 'Table with name zzzzzz does not exist!')).toBeNull();
});
