import { expect, test } from 'vitest';
import { demoQueries } from '../../../demo/catalog.ts';
import { emptyQuery, type WrittenQuery } from '../query-fields.ts';
import { mapDatabases } from './map-databases.ts';
import { readQueryFile, type ReadQuery, writeQueryFile } from './query-file.ts';

const query: WrittenQuery = { ...emptyQuery, name: 'Sales', database: 'Demo', sql: 'select 1 as n' };

function read(file: { sql: string; epilogue: string | null }): ReadQuery {
  const result = readQueryFile(file);
  if ('message' in result) throw new Error(`${result.line}: ${result.message}`);
  return result;
}
const readBack = (written: WrittenQuery): WrittenQuery => ({ ...emptyQuery, ...read(writeQueryFile(written)).fields });

test('writes the fields that are set in their declared order, and the SQL', () => {
  const parameter = { required: true, dataType: 'nvarchar(50)', name: '@Region', values: ['North', '1', 'no'] };
  const written = writeQueryFile({
    ...query,
    description: 'Two lines:\n- one',
    parameters: [parameter],
    tags: ['a'],
    sql: '\r\n  select 1\r\n  where @Region is null\n\n',
  });
  expect(written).toEqual({
    sql: `/*---
name: Sales
description: |-
  Two lines:
  - one
database: Demo
parameters:
  - name: "@Region"
    dataType: nvarchar(50)
    required: true
    values:
      - North
      - "1"
      - no
tags:
  - a
---*/
  select 1
  where @Region is null
`,
    epilogue: null,
  });
});

test.each(demoQueries.map((demo) => [demo.name, demo] as const))('reads the demo query %s as it was written', (_name, demo) => {
  const whole: WrittenQuery = { ...query, ...demo };
  const file = writeQueryFile(whole);
  expect(readBack(whole)).toEqual({ ...whole, sql: whole.sql.trimEnd() });
  expect(writeQueryFile(readBack(whole))).toEqual(file);
});

const hostile = [
  'ends */ the comment',
  '/* begins one /*/ and */* ends',
  '---*/',
  'a\n---*/\nb',
  'tab\there',
  'trailing space \nand a line',
  '\n\nleading lines',
  'null',
  '~',
  'true',
  '0x1f',
  '1e3',
  '2026-01-31',
  '- list',
  'a: b #c',
  '@at `tick` %percent &anchor *alias !tag |pipe >fold',
  '"quoted" and \'single\'',
  'back\\slash \\/ \\n',
  '\r alone and \r\n',
  '\u2028 \u0085 \uFEFF \u0007',
  'é ß 日本 🎈',
  '   ',
];
test.each(hostile)('keeps the text %j, and no comment mark of it is in the comment', (text) => {
  const written = { ...query, description: text, tip: text, tags: [text], roles: [text] };
  const { sql } = writeQueryFile(written);
  expect(readBack(written)).toEqual(written);
  const comment = sql.slice(HEAD_LENGTH, sql.indexOf('\n---*/\nselect'));
  expect(comment).not.toMatch(/\/\*|\*\//);
});
const HEAD_LENGTH = '/*---'.length;

test('offers a query that writes to AI assistants only if the file says so', () => {
  const writing = { ...query, epilogue: 'delete from t', aiAccess: false };
  expect(writeQueryFile(writing).sql).not.toContain('aiAccess');
  expect(writeQueryFile(writing).epilogue).toBe('delete from t\n');
  expect(readBack(writing)).toEqual(writing);
  expect(readBack({ ...writing, aiAccess: true })).toEqual({ ...writing, aiAccess: true });
  expect(readBack({ ...query, aiAccess: false })).toEqual({ ...query, aiAccess: false });
});

test.each([
  ['select 1', 1, 'Expected a comment'],
  ['/*---\nname: x\nselect 1', 1, 'Expected a comment'],
  ['/*---\nname: [x\n---*/\nselect 1', 3, 'Flow sequence'],
  ['/*---\nname: x\nname: y\n---*/\nselect 1', 3, 'Map keys must be unique'],
  ['/*---\n- name\n---*/\nselect 1', 2, 'Expected fields'],
  ['/*---\nname: x\nsql: select 2\n---*/\nselect 1', 3, 'sql stands after the comment'],
  ['/*---\nname: x\nSQL: select 2\n---*/\nselect 1', 3, 'SQL stands after the comment'],
  ['/*---\nname: x\nqueryName: QD_Other_Demo\n---*/\nselect 1', 3, 'queryName is the name of the file'],
  ['/*---\nname: x\nmaxRows: .inf\n---*/\nselect 1', 3, 'finite number'],
  ['/*---\nname: x\nchart: { data: [.nan] }\n---*/\nselect 1', 3, 'finite number'],
  ['/*---\nname: x\ntip: !other y\n---*/\nselect 1', 3, 'Unresolved tag'],
  ['/*---\nname: x\n---\nname: y\n---*/\nselect 1', 3, 'Expected one YAML document.'],
])('names the line of a problem in %j', (sql, line, message) => {
  expect(readQueryFile({ sql, epilogue: null })).toEqual({ line, message: expect.stringContaining(message) });
});

test('sets no default for a field that is written in other letters', () => {
  const { fields } = read({ sql: '/*---\nname: x\nAIAccess: false\nRoles: [a]\n---*/\nselect 1', epilogue: null });
  expect(fields).toEqual({ name: 'x', AIAccess: false, Roles: ['a'], sql: 'select 1', epilogue: null });
});

test('names the line of a field, or of what surrounds it', () => {
  const sql =
    '\uFEFF/*---\r\nname: x\r\nparameters:\r\n  - name: "@A"\r\n    DataType: int\r\n  - name: "@B"\r\n---*/\r\n\r\nselect\r\n@A\r\n';
  const { lineOf, fields } = read({ sql, epilogue: 'delete' });
  expect(fields.sql).toBe('select\n@A');
  expect(lineOf(['name'])).toBe(2);
  expect(lineOf(['parameters', 0, 'dataType'])).toBe(5);
  expect(lineOf(['parameters', 1, 'dataType'])).toBe(6);
  expect(lineOf(['parameters', 7])).toBe(3);
  expect(lineOf(['database'])).toBe(2);
  expect(lineOf(['sql'], 2)).toBe(10);
  expect(lineOf(['epilogue'], 3)).toBe(3);
});

test('refuses aliases that grow without bound', () => {
  const levels = Array.from(
    { length: 20 },
    (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}, *l${level}, *l${level}]`,
  );
  const sql = ['/*---', 'l0: &l0 [x]', ...levels, '---*/', 'select 1'].join('\n');
  expect(readQueryFile({ sql, epilogue: null })).toMatchObject({ message: expect.stringContaining('alias') });
});

test('maps databases, and with them technical names and references of choices', () => {
  const parameters = [{ name: '@A', choices: { query: 'QD_Regions_Demo', value: 'Region' } }];
  const queries = [
    { queryName: 'QD_Sales_Demo', fields: { database: 'Demo', parameters } },
    { queryName: 'QD_Regions_Demo', fields: { database: 'Other db' } },
    { queryName: 'QD_Stock_Other_db', fields: { database: 'Other db', parameters: 'not a list' } },
  ];
  const names = new Map([
    ['Demo', 'Production'],
    ['Other db', 'Warehouse'],
  ]);
  const mapped = mapDatabases(queries, names);
  expect(mapped).toEqual([
    { queryName: 'QD_Sales_Production', fields: { database: 'Production', parameters } },
    { queryName: 'QD_Regions_Demo', fields: { database: 'Warehouse' } },
    { queryName: 'QD_Stock_Warehouse', fields: { database: 'Warehouse', parameters: 'not a list' } },
  ]);
  const back = new Map([...names].map(([from, to]) => [to, from]));
  expect(mapDatabases(mapped, back)).toEqual(queries);
  const [alone] = mapDatabases([{ queryName: 'QD_Sales_Demo', fields: { database: 'Demo', parameters } }], names);
  expect(alone?.fields.parameters).toEqual([{ name: '@A', choices: { query: 'QD_Regions_Production', value: 'Region' } }]);
});
