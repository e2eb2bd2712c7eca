import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { QueryParameter } from '../app/wire.ts';
import { clientGenerators, type ClientGenerator, type CodedQuery } from './client-generators.ts';
import { quote, writeParameters } from './parameter-literals.ts';

const parameter = (name: string, dataType: string, more: Partial<QueryParameter> = {}): QueryParameter => ({
  ...{ name, dataType, required: false },
  ...more,
});
const column = (label: string) => ({ name: label, label, type: 'VARCHAR', kind: 'text', class: 'categorical' as const });
const query = (queryName: string, more: Partial<CodedQuery> = {}): CodedQuery => ({
  ...{ queryName, parameters: [], resultColumns: null },
  ...more,
});

test('is documented with the same texts', () => {
  const documented = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'clients.md'), 'utf8');
  const customers = query('QD_Customers_Demo', {
    parameters: [parameter('@Country', 'nvarchar(50)')],
    resultColumns: [column('Name'), column('City')],
  });
  const sales = query('QD_Sales_by_region_Demo', { resultColumns: [column('Region'), column('Net revenue')] });
  const shown = { 'openapi-typescript': customers, 'hey-api': sales };
  for (const { id, install, generate, program } of clientGenerators satisfies readonly ClientGenerator[]) {
    const code = program(shown[id], { '@Country': 'Portugal' }, 'http://127.0.0.1:8080');
    for (const { text } of [install, ...generate('$SLUICE'), code]) expect(documented, id).toContain(`\n${text}\n\`\`\`\n`);
  }
});

test('writes values in the types of their parameters', () => {
  const write = (values: Record<string, string | null>, ...parameters: readonly QueryParameter[]) =>
    writeParameters(parameters, values);
  expect(write({ '@Top': '007' }, parameter('@Top', 'int'))).toBe('{ Top: 7 }');
  expect(write({ '@Price': '1.50' }, parameter('@Price', 'decimal(18,2)'))).toBe('{ Price: 1.5 }');
  expect(write({ '@Big': '9007199254740993' }, parameter('@Big', 'bigint')), 'not rounded').toBe("{ Big: '9007199254740993' }");
  expect(write({ '@Open': '1' }, parameter('@Open', 'bit'))).toBe('{ Open: true }');
  expect(write({ '@From': 'today-7d' }, parameter('@From', 'date'))).toBe("{ From: 'today-7d' }");
  expect(write({ '@Ids': '["1","2"]' }, parameter('@Ids', 'int', { multiple: true }))).toBe('{ Ids: [1, 2] }');
  expect(write({ '@Region': null }, parameter('@Region', 'text'))).toBe('{ Region: null }');
  expect(write({ '@Größe': 'L' }, parameter('@Größe', 'text'))).toBe("{ 'Größe': 'L' }");
});

test('leaves out what callers need not send, and has a value of the right type for the rest', () => {
  const parameters = [
    parameter('@Who', 'text', { required: true, boundTo: 'user.name' }),
    parameter('@Optional', 'text'),
    parameter('@Default', 'text', { required: true, default: 'a' }),
  ];
  expect(writeParameters(parameters, {})).toBeNull();
  const missing = [
    parameter('@Region', 'text', { required: true }),
    parameter('@Size', 'text', { required: true, values: ['S', 'L'] }),
    parameter('@Years', 'int', { required: true, multiple: true }),
    parameter('@Day', 'date', { required: true }),
  ];
  expect(writeParameters([...parameters, ...missing], {})).toBe("{ Region: '<Region>', Size: 'S', Years: [0], Day: 'today' }");
});

test('does not show masked values', () => {
  const secret = parameter('@Pin', 'text', { masked: true });
  expect(writeParameters([secret], { '@Pin': 'canary' })).toBeNull();
  expect(writeParameters([{ ...secret, required: true }], { '@Pin': 'canary' })).toBe("{ Pin: '<Pin>' }");
});

test.each([`it's "100%" \\ \n`, '\u2028', '${x}`', '数据'])('writes %j as a string literal', (text) => {
  expect(new Function(`return ${quote(text)}`)()).toBe(text);
});

test('prints whole rows of a query whose columns are not known', () => {
  const [{ program }] = clientGenerators;
  const { text } = program(query('QD_X_Demo'), {}, 'https://sluice.example.com');
  expect(text).toContain('console.log(row);');
  expect(text).toContain('body: next,');
  expect(text).toContain("const { SLUICE = 'https://sluice.example.com', ");
});
