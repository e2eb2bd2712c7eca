import { expect, it } from 'vitest';
import { choice, requireField, wholeNumber } from '../wire/values.ts';
import { argumentTable, describeToModel, parameterValues, requiredText, text } from './tool.ts';

const table = argumentTable({
  queryName: requiredText('a name'),
  search: text('a word'),
  rowSize: describeToModel(wholeNumber(1, 1000), 'how many'),
  format: describeToModel(requireField(choice(['csv', 'json'])), 'which'),
});
const read = (sent: Record<string, unknown>) => table.read({ body: { queryName: 'q', format: 'csv', ...sent } });

it('reads declared arguments, and treats null as absent', () => {
  expect(read({ search: null, rowSize: 5, apiKey: 'slc_x' })).toEqual({
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
  [{ more: {} }, 'FieldUnknown'],
  [{ row_sizes: null }, 'FieldUnknown'],
  [{ query_name: 'r' }, 'FieldInvalid'],
])('refuses %j', (sent, kind) => {
  expect(read(sent)).toMatchObject({ ok: false, failure: { kind } });
});

it('says of text with half a surrogate pair that it is not well-formed', () => {
  const problems = [{ field: 'search', message: 'Expected well-formed Unicode text.' }];
  expect(read({ search: 'a\ud800' })).toMatchObject({ ok: false, failure: { problems } });
});

it('matches names in any spelling', () => {
  const found = table.read({ body: { QUERY_NAME: 'a', 'row-size': 2, Format: 'csv', query_name: null } });
  expect(found).toMatchObject({ ok: true, value: { queryName: 'a', rowSize: 2, format: 'csv' } });
  expect(table.read({ body: JSON.parse('{"queryName":"a","format":"csv","__proto__": 1}') })).toMatchObject({
    failure: { kind: 'FieldUnknown', problems: [{ field: '__proto__' }] },
  });
});

it.each([
  [[{ ParameterName: '@A', Value: '1' }], [{ ParameterName: '@A', Value: '1' }]],
  [[{ parameter_name: '@A', VALUE: 1, 'data-type': 'int' }], [{ ParameterName: '@A', Value: '1', DataType: 'int' }]],
  [{ '@A': true }, [{ ParameterName: '@A', Value: 'true' }]],
  ['{"A":12345678901234567890}', [{ ParameterName: 'A', Value: '12345678901234567890' }]],
  ['[{"ParameterName":"@A","Value":1.50}]', [{ ParameterName: '@A', Value: '1.50' }]],
  [[{ ParameterName: '@A', Value: null }], [{ ParameterName: '@A', Value: null }]],
  [[{ ParameterName: '@A' }], [{ ParameterName: '@A', Value: undefined }]],
])('reads the parameters %j', (sent, expected) => {
  expect(parameterValues.read(sent, 'parameters', [])).toMatchObject(expected);
});
