import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntry, now } from '../../../test/contracts/metadata-store/fixtures.ts';
import type { AuditFilter } from '../../audit/audit-entry.ts';
import { listAudit, partOfBlocks } from './audit-list.ts';
import { openDb } from './schema.ts';
import { sqliteDialect, sqliteDriver } from './sqlite-driver.ts';
import { sqliteStoreOn } from './sqlite.ts';

const ENTRIES = 50;
let database: DatabaseSync;
beforeAll(async () => {
  database = new DatabaseSync(':memory:');
  const store = await sqliteStoreOn(database);
  const entries = Array.from({ length: ENTRIES }, (_, n) =>
    auditEntry({ requestId: `r${n}`, at: now + Math.floor(n / 3), user: n % 2 ? 'odd' : 'even', client: n % 10 ? 'x' : 'tenth' }),
  );
  await store.audit.append(entries);
});
afterAll(() => database.close());

/** All pages, each with the entries that it has. */
async function pages(
  filter: AuditFilter,
  limit: number,
  bounds: { entries: number; ms: number },
  on: DatabaseSync = database,
): Promise<string[][]> {
  const db = openDb(sqliteDialect(sqliteDriver(on)));
  const found: string[][] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listAudit(db, 'sqlite', filter, { limit, ...(cursor === undefined ? {} : { cursor }) }, bounds);
    found.push(page.items.map(({ requestId }) => requestId));
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

const TENTHS = ['r40', 'r30', 'r20', 'r10', 'r0'];

it.each([1, 2, 7, 49, 50, 1000])('finds the same entries in the same order, %d at a time', async (entries) => {
  const bounds = { entries, ms: Number.POSITIVE_INFINITY };
  expect(await pages({ search: 'tenth' }, 2, bounds)).toEqual([['r40', 'r30'], ['r20', 'r10'], ['r0']]);
  expect((await pages({ search: 'tenth', user: 'even' }, 50, bounds)).flat()).toEqual(TENTHS);
  expect((await pages({ search: 'tenth', user: 'odd' }, 50, bounds)).flat()).toEqual([]);
  expect((await pages({ search: 'tenth', from: now + 6, to: now + 11 }, 50, bounds)).flat()).toEqual(['r30', 'r20']);
  expect((await pages({}, 50, bounds)).flat()).toHaveLength(ENTRIES);
});

it('ends a page at its time limit, with a cursor that continues after the entries that were read', async () => {
  const found = await pages({ search: 'tenth' }, 50, { entries: 10, ms: -1 });
  expect(found).toEqual([['r40'], ['r30'], ['r20'], ['r10'], ['r0'], []]);
});

it('ends a part of blocks where the next ones begin, and includes all that overlap in time', () => {
  const block = (number: number, minAt: number, maxAt: number) => ({ block: number, minAt, maxAt });
  const blocks = [block(9, 80, 100), block(8, 60, 90), block(2, 10, 90), block(5, 30, 40), block(4, 5, 20)];
  const ranges = (...numbers: number[]) => numbers.map((number) => [number * 128, number * 128 + 127]);
  expect(partOfBlocks(blocks, [101, 5], 1)).toEqual({ end: [91, 0], ranges: ranges(9) });
  expect(partOfBlocks(blocks, [91, 0], 1)).toEqual({ end: [41, 0], ranges: [...ranges(2), [8 * 128, 10 * 128 - 1]] });
  expect(partOfBlocks(blocks, [41, 0], 1)).toEqual({ end: [21, 0], ranges: [...ranges(2), ...ranges(5)] });
  expect(partOfBlocks(blocks, [21, 0], 1)).toEqual({ end: null, ranges: [...ranges(2), ...ranges(4)] });
  expect(partOfBlocks(blocks, [4, 1], 1)).toEqual({ end: null, ranges: [] });
});

it('finds the same entries in the same order by the index', async () => {
  const indexed = new DatabaseSync(':memory:');
  const store = await sqliteStoreOn(indexed);
  const entries = Array.from({ length: 2_000 }, (_, n) =>
    auditEntry({ requestId: `r${n}`, at: now + (n % 7 ? n : n * 3), client: n % 100 ? 'x' : 'hundredth' }),
  );
  await store.audit.append(entries);
  while (await store.audit.indexNext());
  const expected = (await pages({}, 5_000, { entries: 5_000, ms: 1e9 }, indexed))
    .flat()
    .filter((id) => id.endsWith('00') || id === 'r0');
  for (const bounds of [1, 200, 500, 20_000].map((size) => ({ entries: size, ms: Number.POSITIVE_INFINITY }))) {
    expect((await pages({ search: 'hundredth' }, 3, bounds, indexed)).flat()).toEqual(expected);
  }
  // a page that ends for its time goes on from there
  expect((await pages({ search: 'hundredth' }, 50, { entries: 200, ms: -1 }, indexed)).flat()).toEqual(expected);
  indexed.close();
});
