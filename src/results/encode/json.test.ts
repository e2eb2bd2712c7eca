import { describe, expect, it } from 'vitest';
import { columnOf, encodeRows } from '../../../test/support/results/encode-rows.ts';
import { json, ndjson } from './json.ts';

const columns = [columnOf('id', 'integer'), columnOf('note', 'text')];
const batches = [
  [
    [1, 'a\nb'],
    [2, null],
  ],
  [],
  [[9007199254740993n, '']],
];

describe('json', () => {
  it('is one array with one row per line', async () => {
    expect((await encodeRows(json, columns, batches)).toString()).toBe(
      '[{"id":1,"note":"a\\nb"},\n{"id":2,"note":null},\n{"id":9007199254740993,"note":""}]',
    );
  });

  it('is an empty array without rows', async () => {
    expect((await encodeRows(json, columns, [])).toString()).toBe('[]');
  });

  it('is complete over many slices', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => [row, 'x'.repeat(row % 50)]);
    const parsed = JSON.parse((await encodeRows(json, columns, [rows.slice(0, 7), rows.slice(7)])).toString());
    expect(parsed).toEqual(rows.map(([id, note]) => ({ id, note })));
  });
});

describe('ndjson', () => {
  it('is one row per line, with a final line break', async () => {
    const text = (await encodeRows(ndjson, columns, batches)).toString();
    expect(text).toBe('{"id":1,"note":"a\\nb"}\n{"id":2,"note":null}\n{"id":9007199254740993,"note":""}\n');
  });

  it('is empty without rows', async () => {
    expect(await encodeRows(ndjson, columns, [])).toHaveLength(0);
  });
});
