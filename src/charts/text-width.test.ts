import { describe, expect, it } from 'vitest';
import { clip, fitText, textLines, textWidth } from './text-width.ts';

describe('clip', () => {
  it('cuts between grapheme clusters', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('abcd', 4)).toBe('abcd');
    expect(clip('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦');
    expect(clip('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2)).toBe('👩‍👩‍👧‍👦…');
  });

  it('cuts a very long text without reading all of it', () => {
    expect(clip('x'.repeat(5_000_000), 30)).toHaveLength(30);
  });
});

describe('fitText', () => {
  it('wraps between words, breaks wide ones after a hyphen, and cuts the rest', () => {
    expect(fitText('Short', 60, 3, 11)).toBe('Short');
    expect(fitText('South America', 50, 2, 11)).toBe('South\nAmerica');
    expect(fitText('Sankt-Petersburg', 60, 2, 11)).toBe('Sankt-\nPetersburg');
    expect(fitText('Consolidated statement of receivables', 70, 2, 11)).toBe('Consolidated\nstatement o…');
    expect(fitText('Consolidated statement', 70, 1, 11)).toBe('Consolidate…');
    expect(fitText('東京都渋谷区', 33, 2, 11)).toBe('東京都\n渋谷区');
  });

  it('fits a very long text without reading all of it', () => {
    expect(fitText('x'.repeat(5_000_000), 100, 3, 11).length).toBeLessThan(100);
  });
});

describe('textWidth', () => {
  it('distinguishes narrow and wide characters', () => {
    expect(textWidth('iii')).toBeLessThan(textWidth('mmm'));
    expect(textWidth('東京', 10)).toBe(20);
    expect(textWidth('abc', 24)).toBe(2 * textWidth('abc', 12));
  });
});

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
