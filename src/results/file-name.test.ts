import { expect, it } from 'vitest';
import { dispositionOf, fileNameOf } from './file-name.ts';

it.each([
  ['Sales by region', 'Sales by region.csv'],
  ['Größe 日本', 'Größe 日本.csv'],
  ['report.csv', 'report.csv'],
  ['report.CSV', 'report.csv'],
  ['v1.2', 'v1.2.csv'],
  ['../../etc/passwd', 'etc passwd.csv'],
  ['C:\\Windows\\x', 'C Windows x.csv'],
  ['a"b<c>d|e?f*g', 'a b c d e f g.csv'],
  ['line\r\nSet-Cookie: x\u0000', 'line Set-Cookie x.csv'],
  ['fdp.\u202Exslx', 'fdp. xslx.csv'],
  [' . hidden. ', 'hidden.csv'],
  ['', 'export.csv'],
  ['...', 'export.csv'],
  ['con', '_con.csv'],
  ['x'.repeat(500), `${'x'.repeat(100)}.csv`],
])('%j becomes %j', (requested, name) => {
  expect(fileNameOf(requested, 'csv')).toBe(name);
});

it('does not split a character', () => {
  expect(fileNameOf(`${'x'.repeat(99)}😀`, 'csv').isWellFormed()).toBe(true);
});

it.each([
  ['Sales.csv', 'attachment; filename="Sales.csv"'],
  ['Café.csv', `attachment; filename="Cafe.csv"; filename*=UTF-8''Caf%C3%A9.csv`],
  ["100% (it's).csv", `attachment; filename="100_ (it's).csv"; filename*=UTF-8''100%25%20%28it%27s%29.csv`],
  ['😀.csv', `attachment; filename="_.csv"; filename*=UTF-8''%F0%9F%98%80.csv`],
])('%s', (name, header) => {
  expect(dispositionOf('attachment', name)).toBe(header);
});
