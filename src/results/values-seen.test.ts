import { describe, expect, it } from 'vitest';
import { rowStreamOf } from '../../test/support/results/row-stream-of.ts';
import type { SqlValue } from '../core/sql-value.ts';
import { observeValues } from './values-seen.ts';

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
