import { expect, it } from 'vitest';
import { textLines } from './text-lines.ts';
import { textWidth } from './text-width.ts';

const sentence = 'Only the first 1,000 rows are drawn; the query has more.';

it('breaks between words, and no line is wider than it may be', () => {
  const lines = textLines(sentence, 160, 12);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join(' ')).toBe(sentence);
  for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(160);
});

it('leaves what fits on one line, and makes none of nothing', () => {
  expect(textLines(sentence, 900, 12)).toEqual([sentence]);
  expect(textLines('  ', 900, 12)).toEqual([]);
});

it('gives a word that is too wide a line of its own', () => {
  expect(textLines('a Donaudampfschifffahrtsgesellschaft b', 60, 12)).toEqual(['a', 'Donaudampfschifffahrtsgesellschaft', 'b']);
});
