import { describe, expect, it } from 'vitest';
import { columnOf, encodeRows } from '../../../test/support/results/encode-rows.ts';
import { type Rows, rowStreamOf } from '../../../test/support/results/row-stream-of.ts';
import { labelColumns } from '../columns.ts';
import { formats } from './formats.ts';

const columns = [columnOf('id', 'integer'), columnOf('note', 'text')];
const rowsFrom = (start: number, count: number): Rows =>
  Array.from({ length: count }, (_, row) => [start + row, `note ${start + row}`]);

describe.each(Object.entries(formats))('%s', (name, format) => {
  it('has its name and media type', () => {
    expect(format).toMatchObject({ name, mimeType: expect.stringContaining('/') });
  });

  it('rethrows an error of the rows, at any row', async () => {
    const failing = (good: number) =>
      (async function* () {
        for (let done = 0; done < good; done += 1000) yield rowsFrom(done, 1000);
        throw new Error('cast error');
      })();
    await expect(encodeRows(format, columns, failing(0))).rejects.toThrow('cast error');
    await expect(encodeRows(format, columns, failing(50_000))).rejects.toThrow('cast error');
  });

  it('requests a batch only when its bytes are needed, and none after the reader stopped', async () => {
    let asked = 0;
    let ended = false;
    const endless = async function* (): AsyncGenerator<Rows> {
      try {
        for (;;) yield rowsFrom(1000 * asked++, 1000);
      } finally {
        ended = true;
      }
    };
    const batches = rowStreamOf(columns, endless()).batches();
    const options = { title: 'Sales', guardFormulas: true, maxCellBytes: 1 << 20 };
    let parts = 0;
    for await (const part of format.encode(labelColumns(columns, []), batches, options)) {
      expect(part).toBeInstanceOf(Uint8Array);
      if (++parts === 3) break;
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(200);
    expect(ended).toBe(true);
  });

  it('yields to other tasks while it writes', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await encodeRows(
      format,
      columns,
      Array.from({ length: 100 }, (_, batch) => rowsFrom(batch * 1000, 1000)),
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
