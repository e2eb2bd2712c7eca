import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { QueryPage, TrinoRow } from './query-page.ts';
import { ResultRows } from './result-rows.ts';
import type { SegmentClient } from './segment-client.ts';
import { decodeSegment, SegmentRows, segmentsOf } from './segments.ts';

const rowsOf = (segment: SegmentRows): TrinoRow[] => {
  const rows: TrinoRow[] = [];
  for (let next = segment.next(); next !== undefined; next = segment.next()) rows.push(...next);
  return rows;
};

describe('the rows of a segment', () => {
  test('are parsed in parts, whatever their texts contain', () => {
    const texts = ['],[', '"', '\\', '\\"', '😀', '[[', ']]', 'x'.repeat(70_000), ''];
    const rows = Array.from({ length: 500 }, (_, index) => [
      index,
      texts[index % texts.length],
      [index, [null, true]],
      { a: ']' },
    ]);
    const json = Buffer.from(JSON.stringify(rows, null, 1));
    const segment = new SegmentRows(json, { rowOffset: 0, rowsCount: 500, segmentSize: json.length }, 4);
    const first = segment.next() ?? [];
    expect(first.length).toBeLessThan(50);
    expect([...first, ...rowsOf(segment)]).toEqual(rows);
  });

  test('keep every digit of large integers', () => {
    const json = Buffer.from('[[9223372036854775807],[-9007199254740993]]');
    expect(rowsOf(new SegmentRows(json, { rowOffset: 0, rowsCount: 2, segmentSize: json.length }, 1))).toEqual([
      [9223372036854775807n],
      [-9007199254740993n],
    ]);
  });

  test.each(['', '{}', '"[[1]]"', '[[1]', '[[1],]', '[1]', '[[1],[2,3]]', '[[1]] [[2]', '[[1'])('%j is refused', (text) => {
    const facts = { rowOffset: 0, rowsCount: 2, segmentSize: text.length };
    expect(() => rowsOf(new SegmentRows(Buffer.from(text), facts, 1))).toThrow(/segment has/);
  });

  test('are not decompressed beyond the announced size', async () => {
    const bytes = zstdCompressSync(Buffer.alloc(50 * 1024 * 1024));
    const facts = { rowOffset: 0, rowsCount: 1, segmentSize: bytes.length };
    await expect(decodeSegment(bytes, { ...facts, uncompressedSize: 1000 })).rejects.toThrow('cannot be decompressed');
    await expect(decodeSegment(bytes, { ...facts, uncompressedSize: 60 * 1024 * 1024 })).rejects.toThrow('instead of');
    await expect(decodeSegment(bytes.subarray(1), { ...facts, uncompressedSize: 50 * 1024 * 1024 })).rejects.toThrow(
      'instead of',
    );
  });

  const inline = { type: 'inline', data: '', metadata: { rowOffset: 0, rowsCount: 0, segmentSize: 0 } };
  test.each([
    { encoding: 'json+lz4', segments: [] },
    { encoding: 'json' },
    { encoding: 'json', segments: [{ ...inline, type: 'elsewhere' }] },
    { encoding: 'json', segments: [{ ...inline, metadata: { rowOffset: 0, rowsCount: 1 } }] },
    { encoding: 'json', segments: [{ ...inline, metadata: { ...inline.metadata, rowsCount: -1 } }] },
    { encoding: 'json', segments: [{ ...inline, metadata: { ...inline.metadata, segmentSize: 2 ** 40 } }] },
    { encoding: 'json+zstd', segments: [{ ...inline, metadata: { ...inline.metadata, uncompressedSize: 2 ** 40 } }] },
  ])('the announcement %j is refused', (data) => {
    expect(() => segmentsOf(data)).toThrow(/unknown form|larger than/);
  });
});

/** Pages of one segment each, whose loads the test completes. */
function stored(sizes: readonly number[]) {
  const loads: { index: number; complete(): void }[] = [];
  const acknowledged: string[] = [];
  const pages = sizes.map((segmentSize, index): QueryPage => ({
    id: 'q',
    data: {
      encoding: 'json',
      segments: [
        { type: 'spooled', uri: `u${index}`, ackUri: `a${index}`, metadata: { rowOffset: index, rowsCount: 1, segmentSize } },
      ],
    },
  }));
  const segments: SegmentClient = {
    isUsable: true,
    problem: undefined,
    pause() {},
    load({ uri, segmentSize }) {
      const index = Number(uri.slice(1));
      const { promise, resolve } = Promise.withResolvers<Buffer>();
      loads.push({ index, complete: () => resolve(Buffer.from(`[[${index}]]`.padEnd(segmentSize))) });
      return promise;
    },
    acknowledge: ({ ackUri }) => void acknowledged.push(ackUri),
    close() {},
  };
  const source = {
    next: async () => pages.shift(),
    segments,
    coordinator: { origins: new Set<string>(), address: '' },
    signal: new AbortController().signal,
  };
  const first = pages.shift() ?? { id: 'q' };
  return { loads, acknowledged, rows: new ResultRows(source, first, 1) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('segments', () => {
  test('are loaded four at a time and read in order, whichever arrives first', async () => {
    const { rows, loads, acknowledged } = stored(Array.from({ length: 9 }, () => 10));
    const first = rows.next();
    await settled();
    expect(loads.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    for (const load of loads.toReversed()) load.complete();
    expect(await first).toEqual([[0]]);
    await settled();
    expect(loads).toHaveLength(8);
    const read: unknown[] = [];
    for (let next = rows.next(); ; next = rows.next()) {
      await settled();
      for (const load of loads.toReversed()) load.complete();
      const found = await next;
      if (found === undefined) break;
      read.push(...found.flat());
    }
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(acknowledged).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']);
  });

  test('are not loaded ahead beyond 32 MiB', async () => {
    const { rows, loads } = stored([40 << 20, 20 << 20, 20 << 20, 1]);
    const first = rows.next();
    await settled();
    expect(loads).toHaveLength(1);
    loads[0]?.complete();
    expect(await first).toEqual([[0]]);
    await settled();
    expect(loads).toHaveLength(2);
  });
});
