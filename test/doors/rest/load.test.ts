import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService({ SLUICE_MAX_PER_USER: '2', SLUICE_MAX_IN_ALL: '3', SLUICE_QUEUE: '0' });
  author = service.as(admin);
  caller = service.as({ key: (await createKey(author, { name: 'load' })).key });
});
afterAll(() => service.close());

test('returns 429 above the limit per user and 503 above the global limit, immediately and with Retry-After', async () => {
  const { queryName } = await publish(author, {
    name: 'Busy',
    sql: 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7',
    timeoutSeconds: 60,
  });
  const { queryName: quick } = await publish(author, { name: 'Quick', sql: 'select 1 as n' });
  const second = (await createQueryUser(service, 'second')).caller;
  const third = (await createQueryUser(service, 'third')).caller;
  for (const user of [second, third]) expect((await user.run(quick)).status).toBe(200);

  const calls = [caller.run(queryName), caller.run(queryName)];
  await running(2);
  const busy = await caller.run(quick);
  await expectProblem(Promise.resolve(busy), 429, 'user_busy');
  expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
  calls.push(second.run(queryName));
  await running(3);
  const full = await third.run(quick);
  await expectProblem(Promise.resolve(full), 503, 'overloaded');
  expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0);

  for (const { id } of await running(3)) await expectStatus(author.call('DELETE', `/api/v1/executions/${id}`), 204);
  for (const call of calls) await expectProblem(call, 500, 'query_cancelled');
  expect((await third.run(quick)).status).toBe(200);
});

test.skipIf(postgresProblem() !== null)(
  'answers quick statements that share a connection while the user has no free slot',
  async () => {
    const { hostname, port, username, password, pathname } = new URL(await createDatabase());
    const connection = { host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) };
    await expectStatus(author.call('POST', '/api/v1/databases', { name: 'Shop', kind: 'postgres', connection }), 201);
    const query = async (name: string, sql: string) => (await publish(author, { name, sql, database: 'Shop' })).queryName;
    const quick = await query('Price', 'select 7 as price');
    const unknown = await query('Stock', 'select 3 as stock');
    const slow = await query('Slow', 'select 1 as n from pg_sleep(600)');
    for (let run = 0; run < 20; run++) await expectStatus(caller.run(quick), 200);

    const calls = [caller.run(slow), caller.run(slow)];
    const executions = await running(2);
    const prices = await Promise.all([1, 2, 3].map(() => caller.run(quick)));
    for (const { status, json } of prices) expect([status, json.Data]).toEqual([200, [{ price: 7 }]]);
    await expectProblem(caller.run(unknown), 429, 'user_busy');

    for (const { id } of executions) await expectStatus(author.call('DELETE', `/api/v1/executions/${id}`), 204);
    for (const call of calls) await expectProblem(call, 500, 'query_cancelled');
  },
);

/** The running executions, once there are this many. */
async function running(count: number): Promise<readonly { id: string }[]> {
  for (;;) {
    const { json } = await author.call<{ items: { id: string; state: string }[] }>('GET', '/api/v1/executions');
    const found = json.items.filter((each) => each.state === 'running');
    if (found.length >= count) return found;
    await delay(20);
  }
}
