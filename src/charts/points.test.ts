import { describe, expect, it } from 'vitest';
import { formatsFor } from './formats.ts';
import { aggregatePoints, makeDistinct, readPoints } from './points.ts';

const formats = formatsFor();
const data = { name: 'v', class: 'numeric' } as const;

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
      ).rows.map(({ label }) => label);
    expect(labels(['2026-01-31'])).toEqual(['Jan 31, 2026']);
    expect(labels(['2026-01-31T09:30:00'])).toEqual([expect.stringMatching(/^Jan 31, 2026, 9:30\sAM$/)]);
    expect(labels(['2026-01-31T09:30:05'])).toEqual([expect.stringMatching(/^Jan 31, 2026, 9:30:05\sAM$/)]);
  });

  it('counts missing and unreadable values separately', () => {
    const { missing, unreadable } = readPoints(
      { name: 'l', class: 'categorical' },
      data,
      [{ l: 'a', v: null }, { l: 'b' }, { l: 'c', v: 'n/a' }, { l: 'd', v: 1 }],
      formats,
    );
    expect({ missing, unreadable }).toEqual({ missing: 2, unreadable: 1 });
  });
});

describe('aggregatePoints', () => {
  const point = (label: string, value: number | null, at: number | null = null) => ({ label, value, at, x: null });

  it('adds up rows with the same label and counts them', () => {
    const { points, shared } = aggregatePoints(
      [point('a', 1), point('b', null), point('a', 2), point('b', null), point('c', 5)],
      'sum',
    );
    expect(points.map(({ label, value }) => [label, value])).toEqual([
      ['a', 3],
      ['b', null],
      ['c', 5],
    ]);
    expect(shared).toBe(4);
  });

  it('distinguishes times with the same display text', () => {
    expect(aggregatePoints([point('9:30', 1, 1000), point('9:30', 2, 2000)], 'sum').points).toHaveLength(2);
  });

  it.each([
    ['sum', [9]],
    ['average', [3]],
    ['count', [9]], // of ones
    ['min', [1]],
    ['max', [6]],
    ['none', [6, null, 1, 2]],
  ] as const)('combines values by %s, without those that are missing', (aggregate, values) => {
    const rows = [point('a', 6), point('a', null), point('a', 1), point('a', 2)];
    expect(aggregatePoints(rows, aggregate).points.map(({ value }) => value)).toEqual(values);
  });
});

describe('distinct', () => {
  it('numbers duplicate names', () => {
    expect(makeDistinct(['a', 'b', 'a', '__proto__', '__proto__'])).toEqual(['a', 'b', 'a (2)', '__proto__', '__proto__ (2)']);
  });
});
