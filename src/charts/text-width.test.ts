import { describe, expect, it } from 'vitest';
import { clip, textWidth } from './text-width.ts';

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

describe('textWidth', () => {
  it('distinguishes narrow and wide characters', () => {
    expect(textWidth('iii')).toBeLessThan(textWidth('mmm'));
    expect(textWidth('東京', 10)).toBe(20);
    expect(textWidth('abc', 24)).toBe(2 * textWidth('abc', 12));
  });
});
