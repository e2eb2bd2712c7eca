import { expect, it } from 'vitest';
import { textLines } from './text-lines.ts';
import { textWidth } from './text-width.ts';

const sentence = 'Only the first 1,000 rows are drawn; the query has more.';

it('breaks between words within the width', () => {
  const lines = textLines(sentence, 160, 12);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join(' ')).toBe(sentence);
  for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(160);
});

it('keeps short text on one line, and returns no lines for empty text', () => {
  expect(textLines(sentence, 900, 12)).toEqual([sentence]);
  expect(textLines('  ', 900, 12)).toEqual([]);
});

it('puts a word that is too wide on a separate line', () => {
  expect(textLines('a Donaudampfschifffahrtsgesellschaft b', 60, 12)).toEqual(['a', 'Donaudampfschifffahrtsgesellschaft', 'b']);
});
