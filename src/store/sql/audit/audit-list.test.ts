import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntry, now } from '../../../../test/contracts/metadata-store/fixtures.ts';
import type { AuditFilter } from '../../../audit/audit-entry.ts';
import { openDb } from '../db.ts';
import { sqliteDialect, sqliteDriver } from '../sqlite/driver.ts';
import { sqliteStoreOn } from '../sqlite/sqlite-store.ts';
import { listAudit } from './audit-list.ts';

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
async function pages(filter: AuditFilter, limit: number, bounds: { entries: number; ms: number }): Promise<string[][]> {
  const db = openDb(sqliteDialect(sqliteDriver(database)));
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
