import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** The running executions, once there are this many. */
async function running(count: number): Promise<readonly { id: string }[]> {
  for (;;) {
    const { json } = await author.call<{ items: { id: string; state: string }[] }>('GET', '/api/v1/executions');
    const found = json.items.filter((each) => each.state === 'running');
    if (found.length >= count) return found;
    await delay(20);
  }
}
