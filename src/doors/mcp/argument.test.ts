import { expect, it } from 'vitest';
import { byDeclaredNames, choice, parameterValues, readArguments, requiredText, text, whole } from './argument.ts';

const declared = {
  queryName: requiredText('a name'),
  search: text('a word'),
  rowSize: whole('how many', 1, 1000),
  format: choice('which', ['csv', 'json']),
};
const read = (sent: Record<string, unknown>) => readArguments(declared, { queryName: 'q', format: 'csv', ...sent });

it('reads declared arguments, ignores others, and treats null as absent', () => {
  expect(read({ search: null, rowSize: 5, more: {} })).toEqual({
    ok: true,
    value: { queryName: 'q', format: 'csv', rowSize: 5 },
  });
});

it.each([
  [{ rowSize: 1e9 }, { rowSize: 1000 }],
  [{ rowSize: '12' }, { rowSize: 12 }],
  [{ format: ' JSON' }, { format: 'json' }],
  [{ search: '' }, { search: '' }],
])('accepts %j', (sent, value) => {
  expect(read(sent)).toMatchObject({ ok: true, value });
});

it.each([
  [{ queryName: '' }, 'FieldMissing'],
  [{ queryName: null }, 'FieldMissing'],
  [{ queryName: {} }, 'FieldInvalid'],
  [{ search: 'a\0b' }, 'FieldInvalid'],
  [{ search: 'x'.repeat(10_000) }, 'FieldInvalid'],
  [{ rowSize: 0 }, 'FieldInvalid'],
  [{ rowSize: Number.NaN }, 'FieldInvalid'],
  [{ rowSize: '1e3' }, 'FieldInvalid'],
  [{ rowSize: true }, 'FieldInvalid'],
  [{ format: 'xml' }, 'FieldInvalid'],
])('refuses %j', (sent, kind) => {
  expect(read(sent)).toMatchObject({ ok: false, failure: { kind } });
});

it('matches names in any spelling, preferring the exact one', () => {
  const names = ['queryName', 'apiKey'];
  expect(byDeclaredNames({ QUERY_NAME: 1, 'api-key': 2 }, names)).toEqual({ queryName: 1, apiKey: 2 });
  expect(byDeclaredNames({ query_name: 1, queryName: 2 }, names)).toEqual({ queryName: 2 });
  expect(byDeclaredNames({ queryName: null, query_name: 1 }, names)).toEqual({ queryName: 1 });
  expect(byDeclaredNames(JSON.parse('{"__proto__": 1}'), ['__proto__'])).toEqual({});
});

it.each([
  [[{ ParameterName: '@A', Value: '1' }], [{ ParameterName: '@A', Value: '1' }]],
  [[{ parameter_name: '@A', VALUE: 1, 'data-type': 'int' }], [{ ParameterName: '@A', Value: '1', DataType: 'int' }]],
  [{ '@A': true }, [{ ParameterName: '@A', Value: 'true' }]],
  [[{ ParameterName: '@A', Value: null }], [{ ParameterName: '@A', Value: null }]],
  [[{ ParameterName: '@A' }], [{ ParameterName: '@A', Value: undefined }]],
])('reads the parameters %j', (sent, expected) => {
  expect(parameterValues().read(sent, 'parameters')).toMatchObject({ ok: true, value: expected });
});
