import { expect, test } from 'vitest';
import {
  dependentsOf,
  toInitialValues,
  inputKindOf,
  listOf,
  findMissing,
  selectRelative,
  toSentParameters,
} from './parameter-values.ts';

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
  expect(toSentParameters(parameters, { '@B': null, '@C': '' })).toEqual([
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
  expect(Object.keys(findMissing(parameters, {}))).toEqual(['@A']);
  expect(Object.keys(findMissing(parameters, { '@C': null }))).toEqual(['@A', '@C']);
});

test('fills in the defaults of required parameters only', () => {
  const parameters = [
    parameter('@Year', 'int', { required: true, default: '2025' }),
    parameter('@Region', 'nvarchar', { default: 'North' }),
    parameter('@From', 'date', { required: true }),
  ];
  expect(toInitialValues(parameters)).toEqual({ '@Year': '2025' });
});

test('leaves out parameters that are bound to the caller', () => {
  const bound = parameter('@Region', 'nvarchar', { boundTo: 'user.attributes.region', required: true });
  expect(toSentParameters([bound], { '@Region': 'North' })).toEqual([]);
  expect(findMissing([bound], {})).toEqual({});
});

test('keeps a list as the text of a JSON array and sends an array', () => {
  const regions = parameter('@Regions', 'nvarchar', { multiple: true });
  expect(inputKindOf(regions)).toBe('list');
  expect(toSentParameters([regions], { '@Regions': '["North","South"]' })).toMatchObject([{ Value: ['North', 'South'] }]);
  expect([listOf('["a"]'), listOf('a'), listOf('[a'), listOf(''), listOf(null)]).toEqual([['a'], ['a'], ['[a'], [], []]);
});

test('finds the dates that are relative', () => {
  const sent = toSentParameters([parameter('@From', 'datetime'), parameter('@To', 'date'), parameter('@Word', 'nvarchar')], {
    '@From': 'today-30d',
    '@To': '2026-01-31',
    '@Word': 'today',
  });
  expect(selectRelative(sent).map(({ ParameterName }) => ParameterName)).toEqual(['@From']);
});

test('finds the parameters whose choices depend on another one', () => {
  const choices = (from: string) => ({ choices: { query: 'Q', value: 'v', parameters: { '@X': from } } });
  const parameters = [
    parameter('@Country', 'text'),
    parameter('@City', 'text', choices('@Country')),
    parameter('@Street', 'text', choices('@City')),
  ];
  expect([...dependentsOf('@Country', parameters)]).toEqual(['@City', '@Street']);
  expect([...dependentsOf('@Street', parameters)]).toEqual([]);
});
