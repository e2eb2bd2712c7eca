import { expect, test } from 'vitest';
import { settings } from '../../../src/config/config.ts';
import { settingNames } from './setting-names.ts';
import { isFound, type Setting, sizeText, textParts, valueText } from './setting-texts.ts';

const setting: Setting = {
  name: 'exportMaxBytes',
  key: 'exports.maxBytes',
  env: 'SLUICE_EXPORT_MAX_BYTES',
  meaning: 'bytes of one export file',
  changeable: false,
  secret: false,
  source: 'default',
  value: 2 ** 30,
  configured: 2 ** 30,
  default: 2 ** 30,
};

test('formats values as in sluice.yaml', () => {
  expect([true, false, null, [], ['a', 'b'], 1000, 'info'].map(valueText)).toEqual([
    'on',
    'off',
    'none',
    'none',
    'a, b',
    '1000',
    'info',
  ]);
});

test('formats sizes in readable units', () => {
  expect(sizeText(setting)).toBe('1.1 GB');
  expect(sizeText({ ...setting, meaning: 'rows of one result' })).toBeNull();
});

test('separates code from text', () => {
  expect(textParts('`off`: `/mcp` answers 404')).toEqual([
    { text: 'off', isCode: true },
    { text: ': ', isCode: false },
    { text: '/mcp', isCode: true },
    { text: ' answers 404', isCode: false },
  ]);
});

test('finds a setting by name, key, environment variable and description', () => {
  for (const words of ['exportmax', 'size of an export', 'exports.', 'SLUICE_EXPORT', 'Export FILE', ''])
    expect(isFound(setting, words)).toBe(true);
  expect(isFound(setting, 'timeout')).toBe(false);
});

test('every setting has a unique name and whole sentences', () => {
  expect(Object.keys(settingNames).toSorted()).toEqual(Object.keys(settings).toSorted());
  const titles = Object.values(settingNames).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(Object.values(settingNames).filter(({ sentence }) => !/^[A-Z`].*\.$/.test(sentence))).toEqual([]);
});
