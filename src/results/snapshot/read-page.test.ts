import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  idOf,
  ids,
  numbers,
  openSnapshots,
  parseIds,
  range,
  request,
  setting,
  takeWhole,
  withSnapshotFolder,
} from '../../../test/support/results/snapshots-under-test.ts';
import type { Snapshots } from './snapshots.ts';
import type { TakeResult } from './take.ts';

withSnapshotFolder();

describe('files that are incomplete after a crash', () => {
  async function whole() {
    const { answer, ended } = await takeWhole(numbers(100), { rowSize: 10 });
    await ended;
    const path = join(setting.folder, idOf(answer));
    return {
      answer,
      rows: join(path, 'rows'),
      offsets: join(path, 'offsets'),
      end: join(path, 'end.json'),
      reader: openSnapshots(),
    };
  }

  it('never return a partial row if rows are cut', async () => {
    const { answer, rows, reader } = await whole();
    for (let size = (await stat(rows)).size - 1; size > 0; size -= 97) {
      await truncate(rows, size);
      const left = (await readFile(rows, 'utf8')).split('},').length - 1;
      expect(await soundWalk(reader, answer)).toBe(left);
    }
  });

  it('never return a partial row if offsets are cut', async () => {
    const { answer, offsets, reader } = await whole();
    for (let size = 100 * 8 - 1; size > 0; size -= 61) {
      await truncate(offsets, size);
      expect(await soundWalk(reader, answer)).toBe(Math.floor(size / 8));
    }
  });

  it('never return zero bytes', async () => {
    for (const file of ['rows', 'offsets'] as const) {
      const torn = await whole();
      const size = (await stat(torn[file])).size;
      await truncate(torn[file], size - 80);
      await truncate(torn[file], size);
      expect(await soundWalk(torn.reader, torn.answer)).toBe(90);
    }
  });

  it('never return a page with a hole', async () => {
    const { answer, rows, reader } = await whole();
    const bytes = await readFile(rows);
    await writeFile(rows, bytes.fill(0, 40, 60));
    expect(await reader.read(idOf(answer), request(0, 10))).toMatchObject({ kind: 'incomplete' });
    expect(await reader.read(idOf(answer), request(10, 10))).toMatchObject({ kind: 'page' });
  });

  it('are incomplete without an end mark once the heartbeat stopped', async () => {
    const { answer, end, reader } = await whole();
    await rm(end);
    setting.clock += 16_000;
    expect(await ids(reader, answer, 95, 10)).toEqual({ ids: range(95, 100), hasMore: true });
    expect(await reader.read(idOf(answer), request(100, 10))).toMatchObject({ kind: 'incomplete' });
  });

  /** The number of rows that can be read; each must be complete. */
  async function soundWalk(reader: Snapshots, answer: TakeResult): Promise<number> {
    let rowIndex = 0;
    for (;;) {
      const found = await reader.read(idOf(answer), request(rowIndex, 10));
      if (found.kind === 'incomplete') return rowIndex;
      if (found.kind !== 'page') throw new Error(found.kind);
      expect(found.page.hasMore).toBe(true);
      expect(parseIds(found.page.rows)).toEqual(range(rowIndex, found.page.nextRowIndex));
      rowIndex = found.page.nextRowIndex;
    }
  }
});
