import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSharedLimits, type SharedLimits } from '../../src/delivery/shared-limits.ts';
import type { LimitRepository, MetadataStore } from '../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../src/store/sql/postgres.ts';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';

describe.skipIf(postgresProblem() !== null)('limits that three replicas keep together', () => {
  let stores: MetadataStore[];
  let requests = 0;
  let replicas: SharedLimits[];
  beforeAll(async () => {
    const url = await createDatabase();
    stores = [await openPostgresStore(url), await openPostgresStore(url), await openPostgresStore(url)];
    replicas = stores.map((store) => createSharedLimits(counted(limitsOf(store)), randomUUID(), Date.now));
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  const limitsOf = ({ limits }: MetadataStore): LimitRepository => {
    if (limits === null) throw new Error('PostgreSQL has limits');
    return limits;
  };
  const counted = (limits: LimitRepository): LimitRepository => ({
    ...limits,
    takeCalls: (...args) => {
      requests++;
      return limits.takeCalls(...args);
    },
  });
  const replica = (index: number): SharedLimits => {
    const found = replicas[index % replicas.length];
    if (found === undefined) throw new Error('three were created');
    return found;
  };

  /** Calls a replica that `pick` chooses, more often than the rate, and returns when calls were admitted. */
  async function admitted(name: string, perSecond: number, ms: number, pick: (call: number) => number): Promise<number[]> {
    const times: number[] = [];
    const begun = performance.now();
    for (let call = 0; performance.now() - begun < ms;) {
      const burst = Array.from({ length: Math.max(5, perSecond / 20) }, async () => {
        if ((await replica(pick(call++)).admit(name, perSecond)) === 0) times.push(performance.now() - begun);
      });
      await Promise.all(burst);
      await delay(2);
    }
    return times;
  }

  const within = (times: readonly number[], from: number): number =>
    times.filter((time) => time >= from && time < from + 5000).length;

  test.concurrent.each([
    ['all calls reach one replica', 'one', 50, () => 0],
    ['calls are spread over all', 'spread', 50, (call: number) => call],
    ['a high rate', 'high', 500, (call: number) => call * 7],
    ['a low rate', 'low', 4, (call: number) => call],
    ['the replica changes', 'moving', 50, (call: number) => Math.floor(call / 200)],
  ] as const)('let between 90 and 110 percent of the limit through: %s', async (_case, name, perSecond, pick) => {
    const times = await admitted(name, perSecond, 7_000, pick);
    for (const from of [1_000, 1_500, 2_000]) {
      expect(within(times, from)).toBeGreaterThanOrEqual(perSecond * 5 * 0.9);
      expect(within(times, from)).toBeLessThanOrEqual(perSecond * 5 * 1.1);
    }
  });

  test('ask the store once for several calls, and not for those that are refused', async () => {
    requests = 0;
    const times = await admitted('asking', 1000, 2_000, (call) => call);
    expect(times.length).toBeGreaterThan(1_500);
    expect(requests).toBeLessThan(times.length / 10);
  });

  test('let no more queries run at a time than the limit, whatever replica they reach', async () => {
    const held: (() => void)[] = [];
    for (let call = 0; call < 30; call++) {
      const release = await replica(call).acquire('slots', 10);
      if (release !== null) held.push(release);
    }
    expect(held.length).toBe(10);
    for (const release of held.splice(0)) release();
    // one replica gets all of them once the others have returned theirs
    await expect
      .poll(async () => {
        await Promise.all(replicas.map((each) => each.renew()));
        const release = await replica(0).acquire('slots', 10);
        if (release !== null) held.push(release);
        return held.length;
      })
      .toBe(10);
    await delay(30);
    expect(await replica(1).acquire('slots', 10)).toBeNull();
    for (const release of held.splice(0)) release();
  });

  test('free the slots of a replica that is lost', async () => {
    const lost = limitsOf(stores[0] as MetadataStore);
    expect(await lost.holdSlots('lost', 'a replica that was killed', 4, 4)).toBe(4);
    expect(await replica(1).acquire('lost', 4)).toBeNull();
    await expect.poll(() => replica(1).acquire('lost', 4), { timeout: 25_000, interval: 500 }).not.toBeNull();
  });
});
