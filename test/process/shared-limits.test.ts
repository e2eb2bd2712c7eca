import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import { FailureError } from '../../src/core/errors.ts';
import { createKeyRows, createRowQuota, type RowAllowance } from '../../src/pipeline/limits/row-quota.ts';
import { createSharedLimits, type SharedLimits } from '../../src/pipeline/limits/shared-limits.ts';
import type { LimitRepository, MetadataStore } from '../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../src/store/sql/postgres/postgres-store.ts';
import { addUser, keyOf } from '../contracts/metadata-store/fixtures.ts';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';

/** On an idle machine, as in `npm run test:faults 32`; a busy one makes the calls too slowly to use up the limits. */
const isExact = process.env.TEST_LIMITS === 'exact';

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
    const startedAt = performance.now();
    for (let call = 0; performance.now() - startedAt < ms;) {
      const burst = Array.from({ length: Math.max(5, perSecond / 20) }, async () => {
        if ((await replica(pick(call++)).admit(name, perSecond)) === 0) times.push(performance.now() - startedAt);
      });
      await Promise.all(burst);
      await delay(2);
    }
    return times;
  }

  const within = (times: readonly number[], from: number): number =>
    times.filter((time) => time >= from && time < from + 5000).length;
  const MS = isExact ? 7_000 : 3_000;

  test('admit calls that arrive together, also while a request to the store for fewer is in flight', async () => {
    const waits = await Promise.all(Array.from({ length: 60 }, (_, call) => replica(call).admit('at once', 100)));
    expect(waits.filter((seconds) => seconds > 0)).toEqual([]);
  });

  test.concurrent.each([
    ['all calls reach one replica', 'one', 50, () => 0],
    ['calls are spread over all', 'spread', 50, (call: number) => call],
    ['a high rate', 'high', 500, (call: number) => call * 7],
    ['a low rate', 'low', 4, (call: number) => call],
    ['the replica changes', 'moving', 50, (call: number) => Math.floor(call / 200)],
  ] as const)('admit no more calls than the limit, and on an idle machine no fewer: %s', async (_case, name, perSecond, pick) => {
    const startedAt = performance.now();
    const times = await admitted(name, perSecond, MS, pick);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(times.length).toBeGreaterThan(perSecond);
    expect(times.length).toBeLessThanOrEqual(perSecond * (seconds + 1) * 1.1); // it may save the calls of one second
    if (!isExact) return;
    for (const from of [1_000, 1_500, 2_000]) {
      expect(within(times, from)).toBeGreaterThanOrEqual(perSecond * 5 * 0.9);
      expect(within(times, from)).toBeLessThanOrEqual(perSecond * 5 * 1.1);
    }
  });

  test('send one request to the store for several calls, and none for calls that are refused', async () => {
    requests = 0;
    const times = await admitted('asking', 1000, 2_000, (call) => call);
    expect(requests).toBeLessThan(times.length / (isExact ? 10 : 2));
  });

  test('admit no more concurrent queries than the limit, whichever replica they reach', async () => {
    const held: Disposable[] = [];
    for (let call = 0; call < 30; call++) {
      const slot = await replica(call).acquire('slots', 10);
      if (slot !== null) held.push(slot);
    }
    expect(held.length).toBe(10);
    for (const slot of held.splice(0)) slot[Symbol.dispose]();
    // one replica gets all slots once the others have returned theirs
    await expect
      .poll(async () => {
        await Promise.all(replicas.map((each) => each.renew()));
        const slot = await replica(0).acquire('slots', 10);
        if (slot !== null) held.push(slot);
        return held.length;
      })
      .toBe(10);
    await delay(30);
    expect(await replica(1).acquire('slots', 10)).toBeNull();
    for (const slot of held.splice(0)) slot[Symbol.dispose]();
  });

  test('free the slots of a replica that is lost', async () => {
    const lost = limitsOf(stores[0] as MetadataStore);
    expect(await lost.holdSlots({ name: 'lost', process: 'a replica that was killed', most: 4, wanted: 4, used: 0 })).toBe(4);
    expect(await replica(1).acquire('lost', 4)).toBeNull();
    await expect.poll(() => replica(1).acquire('lost', 4), { timeout: 25_000, interval: 500 }).not.toBeNull();
  });

  describe('rows of a day', () => {
    const LIMIT = 10_000;
    const day = Math.floor(Date.now() / 86_400_000);
    async function newKey() {
      const [store] = stores;
      if (store === undefined) throw new Error('three were opened');
      const key = keyOf((await addUser(store, randomUUID())).id, { id: randomUUID().slice(0, 8), hash: randomUUID() });
      await store.apiKeys.insert(key, 5, Date.now());
      const authentication = { kind: 'key', keyId: key.id, keyName: key.name, limits: { rowsPerDay: LIMIT } };
      const processes = stores.map((each) => {
        let asked = 0;
        const limits: LimitRepository = {
          ...limitsOf(each),
          holdRows: (request) => {
            asked++;
            return limitsOf(each).holdRows(request);
          },
        };
        const rows = createKeyRows(each.apiKeys, Date.now, { limits, process: randomUUID() });
        const quota = createRowQuota(rows, () => ({ keyRowsPerDay: 0 }), Date.now);
        return { rows, quota, asked: () => asked };
      });
      const counted = async () => (await store.apiKeys.rowsOn(day, [key.id])).get(key.id) ?? 0;
      return { principal: { authentication } as unknown as Principal, processes, counted };
    }
    const flushAll = (processes: Awaited<ReturnType<typeof newKey>>['processes']) =>
      Promise.all(processes.map(({ rows }) => rows.flush()));
    /** Null: refused. */
    const opened = async (process: Awaited<ReturnType<typeof newKey>>['processes'][number] | undefined, principal: Principal) => {
      const allowance = await process?.quota.acquire(principal);
      return allowance?.ok === true ? allowance.value : null;
    };
    /** Delivers up to a page, of which `sent` rows are sent; returns how many. */
    async function page(allowance: RowAllowance | null, size: number): Promise<number> {
      const held = await allowance?.hold(size);
      await delay(Math.random() * 3);
      const rows = held?.ok === true ? held.value : 0;
      allowance?.settle(rows);
      return rows;
    }

    test('are not exceeded by pages in parallel, and used to at least 90 percent before any is refused', async () => {
      const { principal, processes, counted } = await newKey();
      let [sent, refusedAt] = [0, Number.POSITIVE_INFINITY];
      const client = async (index: number): Promise<void> => {
        for (let refusals = 0; refusals < 20;) {
          const rows = await page(await opened(processes[index % 3], principal), 37);
          sent += rows;
          if (rows > 0) continue;
          refusedAt = Math.min(refusedAt, sent);
          refusals++;
          await delay(20);
        }
      };
      await Promise.all(Array.from({ length: 12 }, (_, index) => client(index)));
      expect(refusedAt).toBeGreaterThanOrEqual(LIMIT * 0.9);
      expect(sent).toBeLessThanOrEqual(LIMIT);
      expect(processes.reduce((sum, { asked }) => sum + asked(), 0)).toBeLessThan(300);
      // what a replica holds and does not use is returned
      await flushAll(processes);
      await flushAll(processes);
      await delay(60);
      for (let rows = 1; rows > 0; sent += rows) rows = await page(await opened(processes[0], principal), 37);
      expect(sent).toBe(LIMIT);
      await flushAll(processes);
      expect(await counted()).toBe(LIMIT);
    });

    test('are not exceeded by exports that grow, and those that are aborted cost nothing', async () => {
      const { principal, processes, counted } = await newKey();
      const run = async (index: number): Promise<number> => {
        const allowance = await opened(processes[index % 3], principal);
        if (allowance === null) return 0;
        try {
          for (let rows = 500; rows <= 3_000; rows += 500) {
            await allowance.holdAll(rows);
            await delay(1);
          }
          allowance.settle(3_000);
          return 3_000;
        } catch (error) {
          if (!(error instanceof FailureError)) throw error;
          allowance[Symbol.dispose]();
          return 0;
        }
      };
      const sent = await Promise.all(Array.from({ length: 9 }, (_, index) => run(index)));
      expect(sent.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(LIMIT);
      await flushAll(processes);
      expect(await counted()).toBe(sent.reduce((sum, rows) => sum + rows, 0));
    });
  });
});
