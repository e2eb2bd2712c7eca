import { describe, expect, it } from 'vitest';
import { formatsFor } from './formats.ts';
import { makeDistinct, readPoints } from './points.ts';

const formats = formatsFor();
const data = 'v';

const kindOf = (label: Parameters<typeof readPoints>[0], values: readonly unknown[]) =>
  readPoints(
    label,
    data,
    values.map((value) => ({ [label.name]: value, v: 1 })),
    formats,
  ).labels;

describe('readPoints', () => {
  it('treats labels as times if all of them are, whatever the column type', () => {
    expect(kindOf({ name: 'l', class: 'categorical', nature: 'time' }, ['2026-01-01', null])).toBe('time');
    expect(kindOf({ name: 'l', class: 'categorical' }, ['2026-01-01'])).toBe('time');
    expect(kindOf({ name: 'l', class: 'categorical', nature: 'text' }, ['2026-01-01'])).toBe('category');
    expect(kindOf({ name: 'l', class: 'categorical', nature: 'time' }, ['14:30:00'])).toBe('category');
    expect(kindOf({ name: 'l', class: 'categorical', nature: 'time' }, [null])).toBe('category');
  });

  it('treats numbers as positions on an axis unless they are ids', () => {
    expect(kindOf({ name: 'l', class: 'numeric', nature: 'number' }, ['1.5', 2])).toBe('number');
    expect(kindOf({ name: 'l', class: 'numeric' }, [1])).toBe('number');
    expect(kindOf({ name: 'l', class: 'numeric', nature: 'id' }, [1])).toBe('category');
  });

  it('shows times with their precision', () => {
    const labels = (values: readonly string[]) =>
      readPoints(
        { name: 'l', class: 'categorical', nature: 'time' },
        data,
        values.map((l) => ({ l })),
        formats,
      ).points.map(({ label }) => label);
    expect(labels(['2026-01-31'])).toEqual(['Jan 31, 2026']);
    expect(labels(['2026-01-31T09:30:00'])).toEqual([expect.stringMatching(/^Jan 31, 2026, 9:30\sAM$/)]);
    expect(labels(['2026-01-31T09:30:05'])).toEqual([expect.stringMatching(/^Jan 31, 2026, 9:30:05\sAM$/)]);
  });
});

describe('distinct', () => {
  it('numbers duplicate names', () => {
    expect(makeDistinct(['a', 'b', 'a', '__proto__', '__proto__'])).toEqual(['a', 'b', 'a (2)', '__proto__', '__proto__ (2)']);
  });
});
