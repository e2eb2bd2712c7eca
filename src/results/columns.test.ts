import { describe, expect, it } from 'vitest';
import { rowStreamOf } from '../../test/support/results/row-stream-of.ts';
import type { ColumnDefinition } from '../catalog/query.ts';
import type { SqlValue } from '../core/sql-value.ts';
import { labelColumns, observeValues } from './columns.ts';

const labels = (names: readonly string[], definitions: readonly ColumnDefinition[] = []) =>
  labelColumns(
    names.map((name) => ({ name, type: 'text', kind: 'text' })),
    definitions,
  ).map((column) => column.label);

describe('labelColumns', () => {
  it('uses the display name of a column, otherwise its name', () => {
    expect(labels(['region', 'total'], [{ name: 'region', displayName: 'Region' }, { name: 'total' }])).toEqual([
      'Region',
      'total',
    ]);
  });

  it('matches definitions by the exact name', () => {
    expect(labels(['Region'], [{ name: 'region', displayName: 'Area' }])).toEqual(['Region']);
  });

  it('numbers repeated names', () => {
    expect(labels(['a', 'a', 'b', 'a'])).toEqual(['a', 'a_2', 'b', 'a_3']);
  });

  it('numbers tens of thousands of equal names', () => {
    expect(labels(Array.from({ length: 50_000 }, () => 'a')).at(-1)).toBe('a_50000');
  });

  it('numbers a display name that repeats another column', () => {
    expect(labels(['x', 'total'], [{ name: 'x', displayName: 'total' }])).toEqual(['total', 'total_2']);
  });

  it('never assigns the name of another column', () => {
    expect(labels(['a', 'a', 'a_2', 'a'])).toEqual(['a', 'a_3', 'a_2', 'a_4']);
  });

  it('names a column without a name by its position', () => {
    expect(labels(['', 'a', ''])).toEqual(['column_1', 'a', 'column_3']);
    expect(labels(['', 'column_1'])).toEqual(['column_1_2', 'column_1']);
  });

  it('keeps the name, the type and the kind', () => {
    expect(labelColumns([{ name: 'a', type: 'int4', kind: 'integer' }], [{ name: 'a', displayName: 'A' }])).toEqual([
      { name: 'a', type: 'int4', kind: 'integer', label: 'A' },
    ]);
  });
});

async function seen(values: readonly SqlValue[], kind: 'undeclared' | 'text' = 'undeclared') {
  const columns = [{ name: 'x', type: '', kind }];
  const observer = observeValues(columns);
  for await (const batch of rowStreamOf(columns, [values.map((value) => [value])]).batches()) {
    for (let row = 0; row < batch.length; row++) observer.look(batch, row);
  }
  return observer.seen()[0];
}

describe('observeValues', () => {
  it('distinguishes numbers, whole numbers and other values', async () => {
    expect(await seen([1, null, 2n])).toBe('whole numbers');
    expect(await seen([1, 2.5])).toBe('numbers');
    expect(await seen([2.5, 1])).toBe('numbers');
    expect(await seen([true, null, false])).toBe('booleans');
    expect(await seen([1, true])).toBe('others');
    expect(await seen([1, '2'])).toBe('others');
    expect(await seen(['1', 2])).toBe('others');
    expect(await seen([null])).toBe('nothing');
  });

  it('ignores columns with a declared type', async () => {
    expect(await seen(['a'], 'text')).toBeUndefined();
  });
});
