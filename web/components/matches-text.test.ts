import { expect, test } from 'vitest';
import { matchesText } from './matches-text.ts';

test.each([
  ['slaes', 'Sales by region'],
  ['setings', 'Settings'],
  ['adit', 'Audit trail'],
  ['regoin sal', 'Sales by region'],
  ['munchen', 'München'],
  ['dataabses', 'Databases'],
  ['QD_Sal', 'QD_Sales_Demo'],
  ['', 'Anything'],
  ['settin', 'Settings'],
])('%s finds %s', (search, text) => {
  expect(matchesText(search, text)).toBe(true);
});

test.each([
  ['home', 'Users'],
  ['key', 'Users'],
  ['sales', 'Roles'],
  ['sales roles', 'Sales by region'],
  ['2025', '2024'],
])('%s does not find %s', (search, text) => {
  expect(matchesText(search, text)).toBe(false);
});
