import { expect, test } from 'vitest';
import { argumentsOf, findMissingFields, toolFields } from './tool-fields.ts';

const text = (description: string) => ({ type: 'string', description });
const exportQuery = toolFields({
  type: 'object',
  properties: {
    apiKey: text('The key.'),
    queryName: text('Technical name.'),
    format: { type: 'string', enum: ['xlsx', 'csv'] },
    rowSize: { type: 'integer', minimum: 1, maximum: 200 },
    rowIndex: { type: 'integer', minimum: 0 },
    parameters: {
      type: 'array',
      items: {
        type: 'object',
        properties: { ParameterName: text('Name.'), Value: text('Value.'), DataType: text('Type.') },
        required: ['ParameterName', 'Value'],
      },
    },
  },
  required: ['apiKey', 'queryName', 'format'],
});

test('chooses an input for each argument by its schema, and skips the key', () => {
  expect(exportQuery.map(({ name, input, isRequired, type }) => [name, input, isRequired, type])).toEqual([
    ['queryName', 'text', true, 'string'],
    ['format', 'choice', true, 'xlsx, csv'],
    ['rowSize', 'whole', false, 'integer, 1 to 200'],
    ['rowIndex', 'whole', false, 'integer, at least 0'],
    ['parameters', 'rows', false, 'array'],
  ]);
});

test('returns no fields for a tool without arguments', () => {
  expect(toolFields({ type: 'object', properties: { apiKey: text('The key.') } })).toEqual([]);
});

test('leaves out empty fields and sends numbers as numbers', () => {
  const values = {
    queryName: 'QD_Sales_Demo',
    rowSize: '10',
    parameters: [
      { ParameterName: '@Region', Value: '', DataType: '' },
      { ParameterName: '', Value: 'left over' },
    ],
  };
  expect(argumentsOf(exportQuery, values)).toEqual({
    queryName: 'QD_Sales_Demo',
    rowSize: 10,
    parameters: [{ ParameterName: '@Region', Value: '' }],
  });
  expect(argumentsOf(exportQuery, {})).toEqual({});
});

test('reports a required argument without a value at its field', () => {
  expect(findMissingFields(exportQuery, { queryName: '' })).toEqual({
    queryName: 'A value is required.',
    format: 'A value is required.',
  });
});
