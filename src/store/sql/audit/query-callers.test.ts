import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditEntry, hour, now } from '../../../../test/contracts/metadata-store/fixtures.ts';
import { openDb } from '../db.ts';
import { sqliteDialect, sqliteDriver } from '../sqlite/driver.ts';
import { sqliteStoreOn } from '../sqlite/sqlite-store.ts';
import { readCallers } from './query-callers.ts';

const DAYS = 10;
const day = 24 * hour;
let database: DatabaseSync;
beforeAll(async () => {
  database = new DatabaseSync(':memory:');
  const store = await sqliteStoreOn(database);
  const entries = Array.from({ length: DAYS * 24 }, (_, n) =>
    auditEntry({
      at: now - n * hour,
      query: 'QD_A',
      queryVersion: 1,
      user: `user ${Math.floor(n / 24)}`,
      parameters: {},
      rows: 1,
    }),
  );
  await store.audit.append(entries);
});
afterAll(() => database.close());

const read = (mostMs: number) =>
  readCallers(openDb(sqliteDialect(sqliteDriver(database))), 'sqlite', { query: 'QD_A', since: now - DAYS * day, now }, mostMs);

it('ends at its time limit, and reports from when on it has all callers', async () => {
  const { callers, since } = await read(-1);
  expect(since).toBe(now - hour);
  expect(callers).toMatchObject([{ user: 'user 0', calls: 2, lastAt: now }]);
});

it('reads all of its time, in slices', async () => {
  const { callers, since } = await read(Number.POSITIVE_INFINITY);
  expect(since).toBe(now - DAYS * day);
  expect(callers.map(({ user, calls }) => [user, calls])).toEqual(Array.from({ length: DAYS }, (_, n) => [`user ${n}`, 24]));
});
