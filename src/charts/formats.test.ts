import { expect, it } from 'vitest';
import { formatsFor } from './formats.ts';

it('shortens large numbers on axes, not in tooltips', () => {
  const { short, full } = formatsFor('en-US');
  expect([0, 12.345, 9_999, 412_500, -11_200, 1e12].map(short)).toEqual(['0', '12.35', '9,999', '412.5K', '-11.2K', '1T']);
  expect([412_500, 0.00123, 1.5e20, null].map(full)).toEqual(['412,500', '0.00123', '1.5E20', '–']);
});

it('formats for the locale of the reader', () => {
  const { full, monthOfYear } = formatsFor('de-DE');
  expect(full(1234.5)).toBe('1.234,5');
  expect(monthOfYear(Date.UTC(2026, 4, 1))).toBe('Mai 2026');
});

it('falls back to English for an invalid locale', () => {
  for (const locale of [undefined, '', 'xx-yy-zz', '<script>', 'tlh']) expect(formatsFor(locale).full(1234)).toBe('1,234');
});
