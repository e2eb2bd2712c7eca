import { afterEach, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { listActive, addPostgres } from '../support/databases/restartable-postgres.ts';
import { createKey, createQueryUser } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { type ApiResponse, type Caller, type TestService, admin, startTestService } from '../support/services/service.ts';

const SLOTS = 4;
const USERS = 10;
const CALLS_PER_USER = 4;

let services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

async function start(environment: Record<string, string>): Promise<TestService> {
  const service = await startTestService({
    SLUICE_DEMO: 'off',
    SLUICE_QUEUE_SECONDS: '60',
    SLUICE_DRAIN_SECONDS: '1',
    ...environment,
  });
  services.push(service);
  return service;
}

async function createCaller(service: TestService, name: string): Promise<Caller> {
  const { credential } = await createQueryUser(service, name);
  return service.as({ key: (await createKey(service.as(credential), { name })).key });
}

async function createShop(author: Caller) {
  const url = await createDatabase();
  await addPostgres(author, 'Shop', url);
  const slow = await publish(author, { name: 'Slow', sql: 'select 1 as n from pg_sleep(1)', database: 'Shop' });
  const quick = await publish(author, { name: 'Quick', sql: 'select 7 as price', database: 'Shop' });
  return { url, slow: slow.queryName, quick: quick.queryName };
}

const until = async (holds: () => Promise<boolean>): Promise<void> => expect.poll(holds).toBe(true);
const hasRunning = (url: string, count: number) => async (): Promise<boolean> =>
  (await listActive(url)).filter(({ query }) => query.includes('pg_sleep')).length >= count;

describe.skipIf(postgresProblem() !== null)('a quick call beside many slow ones of other users on the same database', () => {
  test.each(['sqlite', 'postgres'])(
    'runs after those that ran when it arrived, and before all others (metadata in %s)',
    async (metadata) => {
      const store = metadata === 'postgres' ? { SLUICE_METADATA_URL: await createDatabase() } : {};
      const service = await start({ ...store, SLUICE_MAX_PER_DATABASE: String(SLOTS) });
      const author = service.as(admin);
      const { url, slow, quick } = await createShop(author);
      const users = await Promise.all(Array.from({ length: USERS }, (_, index) => createCaller(service, `user ${index}`)));
      const newcomer = await createCaller(service, 'newcomer');
      let ended = 0;
      const calls: Promise<ApiResponse>[] = [];
      // all calls of a user arrive before those of the next, so that the first user takes every slot
      for (const user of users) {
        for (let call = 0; call < CALLS_PER_USER; call++) calls.push(user.run(slow).finally(() => ended++));
      }
      await until(hasRunning(url, SLOTS));
      await until(async () => {
        const { json } = await author.call<{ items: readonly unknown[] }>('GET', '/api/v1/executions?limit=1000');
        return json.items.length === USERS * CALLS_PER_USER - ended;
      });
      const endedBefore = ended;
      expect((await newcomer.run(quick)).status).toBe(200);
      expect(ended - endedBefore).toBeLessThan(2 * SLOTS);
      await service.close();
      services = [];
      await Promise.allSettled(calls);
    },
  );
});

describe.skipIf(postgresProblem() !== null)('calls of a user who has used up their slots on another replica', () => {
  test('leave the slots of this replica to others, and are refused with the time to wait', async () => {
    const metadata = await createDatabase();
    const settings = {
      SLUICE_METADATA_URL: metadata,
      SLUICE_MAX_PER_USER: '4',
      SLUICE_MAX_PER_DATABASE: '4',
      SLUICE_QUEUE_SECONDS: '6',
    };
    const here = await start(settings);
    const there = await start({ ...settings, SLUICE_DATA: here.folder });
    const author = here.as(admin);
    const { url, slow, quick } = await createShop(author);
    const long = await publish(author, { name: 'Long', sql: 'select 1 as n from pg_sleep(60)', database: 'Shop' });
    const { credential } = await createQueryUser(here, 'busy');
    const { key } = await createKey(here.as(credential), { name: 'busy' });
    const other = await createQueryUser(here, 'other');
    const running = Array.from({ length: 4 }, () => here.as({ key }).run(long.queryName));
    await until(hasRunning(url, 4));

    const waiting = Array.from({ length: 4 }, () => there.as({ key }).run(slow));
    expect((await there.as(other.credential).run(quick)).status).toBe(200);
    expect((await Promise.race([...waiting, Promise.resolve(null)])) === null).toBe(true); // all of them still wait
    const refused = await Promise.all(waiting);
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await Promise.all(services.map((service) => service.close()));
    services = [];
    await Promise.allSettled(running);
  });
});

describe.skipIf(postgresProblem() !== null)('Retry-After', () => {
  test('is about as long as the running queries take', async () => {
    const service = await start({ SLUICE_MAX_PER_DATABASE: '1', SLUICE_MAX_IN_ALL: '1', SLUICE_QUEUE: '0' });
    const { url, slow, quick } = await createShop(service.as(admin));
    const other = await createQueryUser(service, 'other');
    expect((await service.as(admin).run(slow)).status).toBe(200);
    expect((await service.as(admin).run(slow)).status).toBe(200);
    const running = service.as(admin).run(slow);
    await until(hasRunning(url, 1));
    const { status, headers } = await service.as(other.credential).run(quick);
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await running;
  });
});
