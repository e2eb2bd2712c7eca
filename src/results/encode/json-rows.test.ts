import { describe, expect, it } from 'vitest';
import { type Rows, rowStreamOf } from '../../../test/support/results/row-stream-of.ts';
import type { Column } from '../../core/column.ts';
import { ByteWriter } from '../byte-writer.ts';
import { labelColumns } from '../columns.ts';
import { CellTooLargeError, createJsonRowEncoder } from './json-rows.ts';

const text = (name: string): Column => ({ name, type: 'text', kind: 'text' });

async function encode(names: readonly string[], rows: Rows, maxCellBytes?: number): Promise<string> {
  const columns = names.map(text);
  const encoder = createJsonRowEncoder(labelColumns(columns, []), maxCellBytes);
  const out = new ByteWriter(4);
  for await (const batch of rowStreamOf(columns, [rows]).batches()) {
    for (let row = 0; row < batch.length; row++) encoder.encodeRow(batch, row, out);
  }
  return out.take().toString();
}

describe('createJsonRowEncoder', () => {
  it('writes a row as an object in the order of the columns', async () => {
    expect(await encode(['b', 'a'], [[1, 'x']])).toBe('{"b":1,"a":"x"}');
  });

  it('keeps labels with any characters', async () => {
    const names = ['"quoted"', 'Größe', '__proto__', 'a label that is longer than a handful of bytes', 'new\nline'];
    expect(Object.entries(JSON.parse(await encode(names, [[1, 2, 3, 4, 5]])))).toEqual(
      names.map((name, index) => [name, index + 1]),
    );
  });

  it('writes an empty object without columns', async () => {
    expect(await encode([], [[]])).toBe('{}');
  });

  it('fails on a cell that is too large, and names its column', async () => {
    const failure = encode(['a', 'note'], [[1, 'x'.repeat(11)]], 10);
    await expect(failure).rejects.toThrow(CellTooLargeError);
    await expect(failure).rejects.toMatchObject({ column: 'note' });
  });

  it('accepts a cell of exactly the limit, without quotes, escapes and base64', async () => {
    expect(await encode(['a'], [['x'.repeat(10)]], 10)).toContain('x'.repeat(10));
    expect(await encode(['a'], [['\n'.repeat(10)]], 10)).toContain('\\n'.repeat(10));
    expect(await encode(['a'], [[Buffer.alloc(10)]], 10)).toContain('AAAA');
    await expect(encode(['a'], [['ä'.repeat(6)]], 10)).rejects.toThrow(CellTooLargeError);
    await expect(encode(['a'], [[Buffer.alloc(11)]], 10)).rejects.toThrow(CellTooLargeError);
  });

  it('has a default limit of 1 MiB', async () => {
    await expect(encode(['a'], [['x'.repeat((1 << 20) + 1)]])).rejects.toThrow(CellTooLargeError);
    expect((await encode(['a'], [['x'.repeat(1 << 20)]])).length).toBeGreaterThan(1 << 20);
  });
});
