import { expect, test } from 'vitest';
import { technicalName } from './technical-name.ts';

test.each([
  ['Sales by Region', 'Demo', 'QD_Sales_by_Region_Demo'],
  ['  --Top 10 (%)!  ', 'ERP / prod', 'QD_Top_10_ERP_prod'],
  ['Évolution du chiffre d’affaires', 'Müller', 'QD_Evolution_du_chiffre_d_affaires_Muller'],
  ['E\u0301te\u0301', 'x', 'QD_Ete_x'],
  ['Straße øst', 'x', 'QD_Straße_øst_x'],
  ['売上 一覧', 'デモ', 'QD_売上_一覧_デモ'],
  ['Отчёт й', 'x', 'QD_Отчёт_й_x'],
  ['हिन्दी', '한국어', 'QD_हिन्दी_한국어'],
  ['a__b', '_c_', 'QD_a_b_c'],
  ['I ❤️ SQL', 'x', 'QD_I_SQL_x'],
])('names the query %j on %j %s', (queryName, databaseName, expected) => {
  expect(technicalName('QD', queryName, databaseName)).toBe(expected);
});

test('does not depend on the Unicode normal form of the letters', () => {
  const name = 'Отчёт Été 한국어';
  expect(technicalName('QD', name.normalize('NFD'), 'x')).toBe(technicalName('QD', name.normalize('NFC'), 'x'));
});

test('accepts a prefix that ends with an underscore', () => {
  expect(technicalName('QD_', 'a', 'b')).toBe('QD_a_b');
});
