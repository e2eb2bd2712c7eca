import { expect, test } from 'vitest';
import { helpText, labelOf, placeholderOf, typeText } from './parameter-texts.ts';

const parameter = (name: string, more = {}) => ({ name, dataType: 'int', required: false, ...more });

test('shows the label instead of the name, and both if two parameters share it', () => {
  const [from, to] = [parameter('@From', { label: 'Day' }), parameter('@To', { label: 'Day' })];
  expect(labelOf(parameter('@Top'))).toBe('@Top');
  expect(labelOf(from, [from, parameter('@To', { label: 'Until' })])).toBe('Day');
  expect(labelOf(from, [from, to])).toBe('Day (@From)');
});

test.each([
  ['int', 'Whole number'],
  ['decimal(12,2)', 'Number with up to 2 decimals'],
  ['decimal(12,0)', 'Whole number'],
  ['numeric', 'Number'],
  ['double precision', 'Number'],
  ['bit', 'Yes or no'],
  ['nvarchar(50)', 'Text, up to 50 characters'],
  ['nvarchar(max)', 'Text'],
  ['timestamptz', 'Date and time with time zone'],
  ['hyperloglog', 'hyperloglog'],
])('%s is "%s"', (dataType, words) => {
  expect(typeText({ dataType })).toBe(words);
});

test('says that a value is optional, a list, or not set', () => {
  expect(helpText(parameter('@Top', { description: 'How many.' }))).toBe('Whole number, optional · How many.');
  expect(helpText(parameter('@Ids', { required: true, multiple: true }))).toBe('List, each: whole number');
  expect(placeholderOf(parameter('@Top'), undefined)).toBe('Not set');
  expect(placeholderOf(parameter('@Top', { default: '20' }), undefined)).toBe('Default: 20');
  expect(placeholderOf(parameter('@Top', { default: '20' }), null)).toBe('Not set');
});
