import { expect, it } from 'vitest';
import { formatsFor } from './formats.ts';

it('shortens large numbers on axes, not in tooltips', () => {
  const { short, full } = formatsFor('en-US');
  expect([0, 12.345, 9_999, 412_500, -11_200, 1e12].map(short)).toEqual(['0', '12.35', '9,999', '412.5K', '-11.2K', '1T']);
  expect([412_500, 0.00123, 1.5e20, null].map(full)).toEqual(['412,500', '0.00123', '1.5E20', '–']);
});

it('prints the numbers of a chart in one unit', () => {
  const { figures } = formatsFor('en-US');
  const printed = (values: readonly number[], least?: number) =>
    values.map(figures({ low: 0, high: Math.max(...values) }, least)).join(' ');
  expect(printed([8_000, 10_000])).toBe('8K 10K');
  expect(printed([9_000, 16_000, 98_000], 9_000)).toBe('9K 16K 98K');
  expect(printed([64, 1_250, 98_000], 64)).toBe('64 1,250 98,000');
  expect(printed([4e10, 1e14], 4e10)).toBe('0.04T 100T');
  expect(printed([5e-7, 1.2e-6], 5e-7)).toBe('0.0000005 0.0000012');
  expect(printed([0.5, 12.345])).toBe('0.5 12.35');
  expect([9_000, 98_000].map(formatsFor('de-DE').figures({ low: 0, high: 98_000 }))).toEqual(['9.000', '98.000']);
});

it('formats for the locale of the reader', () => {
  const { full, monthOfYear } = formatsFor('de-DE');
  expect(full(1234.5)).toBe('1.234,5');
  expect(monthOfYear(Date.UTC(2026, 4, 1))).toBe('Mai 2026');
});

it('falls back to English for an invalid locale', () => {
  for (const locale of [undefined, '', 'xx-yy-zz', '<script>', 'tlh']) expect(formatsFor(locale).full(1234)).toBe('1,234');
});
