import { expect, test } from 'vitest';
import { inputKindOf, missingParameters, sentParameters, initialValues } from './parameter-values.ts';

const parameter = (name: string, dataType: string, more = {}) => ({ name, dataType, required: false, ...more });

test.each([
  ['int', 'number'],
  ['decimal(12,2)', 'number'],
  ['bit', 'boolean'],
  ['date', 'date'],
  ['datetime2', 'datetime'],
  ['timestamptz', 'datetime'],
  ['time', 'time'],
  ['nvarchar(50)', 'text'],
  ['uuid', 'text'],
  ['no such type', 'text'],
])('%s gets a %s input', (dataType, kind) => {
  expect(inputKindOf(parameter('@P', dataType))).toBe(kind);
});

test('offers declared values as a choice, whatever the type', () => {
  expect(inputKindOf(parameter('@Year', 'int', { values: ['2024', '2025'] }))).toBe('choice');
});

test('leaves out parameters without a value, and sends NULL and empty text', () => {
  const parameters = [parameter('@A', 'int'), parameter('@B', 'nvarchar'), parameter('@C', 'nvarchar')];
  expect(sentParameters(parameters, { '@B': null, '@C': '' })).toEqual([
    { ParameterName: '@B', Value: null, DataType: 'nvarchar' },
    { ParameterName: '@C', Value: '', DataType: 'nvarchar' },
  ]);
});

test('reports a required parameter without a value or a default', () => {
  const parameters = [
    parameter('@A', 'int', { required: true }),
    parameter('@B', 'int'),
    parameter('@C', 'int', { required: true, default: '1' }),
  ];
  expect(Object.keys(missingParameters(parameters, {}))).toEqual(['@A']);
  expect(Object.keys(missingParameters(parameters, { '@C': null }))).toEqual(['@A', '@C']);
});

test('fills in the defaults of required parameters only', () => {
  const parameters = [
    parameter('@Year', 'int', { required: true, default: '2025' }),
    parameter('@Region', 'nvarchar', { default: 'North' }),
    parameter('@From', 'date', { required: true }),
  ];
  expect(initialValues(parameters)).toEqual({ '@Year': '2025' });
});
