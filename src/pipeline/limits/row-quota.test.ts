import { beforeEach, expect, it } from 'vitest';
import { dayOf } from '../../access/api-key.ts';
import { createKeyRows, type KeyRows } from './row-quota.ts';

const MIDNIGHT = Date.UTC(2026, 10, 16);
const DAY = 86_400_000;

/** What lies in the store, as several processes see it. */
let stored: Map<string, number>;
let reads: number;
let broken: boolean;
let now: number;
beforeEach(() => {
  stored = new Map();
  reads = 0;
  broken = false;
  now = MIDNIGHT;
});

const keyIn = (day: number, id: string): string => `${day}:${id}`;
const countHere = (): KeyRows =>
  createKeyRows(
    {
      addRows: async (day, added) => {
        await Promise.resolve();
        if (broken) throw new Error('locked');
        for (const { id, rows } of added) stored.set(keyIn(day, id), (stored.get(keyIn(day, id)) ?? 0) + rows);
      },
      rowsOn: async (day, ids) => {
        reads++;
        const found = ids.flatMap((id) => {
          const rows = stored.get(keyIn(day, id));
          return rows === undefined ? [] : [[id, rows] as const];
        });
        return new Map(found);
      },
    },
    () => now,
  );

it('reads the store once, and then adds its own counts', async () => {
  stored.set(keyIn(dayOf(now), 'k'), 40);
  const rows = countHere();
  rows.add('k', 2);
  expect(await rows.today('k')).toBe(42);
  rows.add('k', 3);
  expect(await rows.today('k')).toBe(45);
  expect(reads).toBe(1);
  await rows.flush();
  expect(await rows.today('k')).toBe(45);
  expect(stored.get(keyIn(dayOf(now), 'k'))).toBe(45);
});

it('includes the rows of another process after both have written', async () => {
  const [here, there] = [countHere(), countHere()];
  expect([await here.today('k'), await there.today('k')]).toEqual([0, 0]);
  here.add('k', 10);
  expect(await there.today('k')).toBe(0);
  await here.flush();
  await there.flush();
  expect(await there.today('k')).toBe(10);
});

it('keeps rows that could not be written, and writes them once if two flushes overlap', async () => {
  const rows = countHere();
  await rows.today('k');
  rows.add('k', 10);
  broken = true;
  await expect(rows.flush()).rejects.toThrow('locked');
  expect(await rows.today('k')).toBe(10);
  broken = false;
  const turns = [rows.flush(), rows.flush()];
  rows.add('k', 1);
  await Promise.all(turns);
  await rows.flush();
  expect(stored.get(keyIn(dayOf(now), 'k'))).toBe(11);
  expect(await rows.today('k')).toBe(11);
});

it('reserves rows per running call, and returns them to the day of the reservation', async () => {
  now = MIDNIGHT - 1;
  const rows = countHere();
  await rows.today('k');
  const [one, other] = [rows.reserve('k', 100), rows.reserve('k', 100)];
  await one.hold(10);
  await one.hold(30);
  await other.hold(5);
  expect([await other.hold(90, 90), await other.hold(90), await other.hold(5)]).toEqual([0, 70, 5]);
  expect([one.countOthers(), other.countOthers()]).toEqual([
    { had: 0, held: 5 },
    { had: 0, held: 30 },
  ]);
  now = MIDNIGHT;
  const next = rows.reserve('k', 100);
  one.settle(7);
  expect([other.countOthers().held, next.countOthers()]).toEqual([0, { had: 7, held: 0 }]);
});

it('starts again at midnight, and reads the store then', async () => {
  now = MIDNIGHT - 1;
  const rows = countHere();
  await rows.today('k');
  rows.add('k', 10);
  now = MIDNIGHT;
  expect(await rows.today('k')).toBe(0);
  rows.add('k', 1);
  await rows.flush();
  expect(stored).toEqual(new Map([[keyIn(dayOf(MIDNIGHT), 'k'), 1]]));
});

it('writes keys without a limit without reading, and forgets idle keys', async () => {
  const rows = countHere();
  rows.add('free', 10);
  await rows.flush();
  expect(reads).toBe(0);
  await rows.today('k');
  await rows.flush();
  expect(reads).toBe(2);
  now += DAY / 24;
  await rows.flush();
  await rows.flush();
  expect(reads).toBe(2);
});
