import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePlace, type Place, type ServiceProcess } from '../support/process.ts';
import { publish } from '../support/publish.ts';
import { type Answer, admin, type Caller } from '../support/service.ts';

const HELD_MS = 8_000;

let place: Place;
let service: ServiceProcess;
let queryName: string;
beforeAll(async () => {
  place = await makePlace();
  service = await place.start();
  ({ queryName } = await publish(service.as(admin), { name: 'One', sql: 'select 1 as n' }));
});
afterAll(() => place.remove());

interface Timed {
  readonly what: string;
  readonly status: number;
  readonly ms: number;
}

test('while another process holds the lock of the store, calls answer 503 in time; afterwards they work', async () => {
  const caller = service.as(admin);
  const signedIn = await caller.call('POST', '/api/v1/session', admin);
  const byCookie = service.as({ cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '' });
  expect((await byCookie.run(queryName, [], { Origin: service.url })).status).toBe(200);
  const release = holdLock();
  const heldUntil = performance.now() + HELD_MS;

  const calls: Promise<Timed>[] = [];
  const pulse: Timed[] = [];
  for (let turn = 0; performance.now() < heldUntil; turn++) {
    // none after which a release could come within its patience
    if (performance.now() < heldUntil - 5_500) calls.push(...someCalls(caller, turn));
    pulse.push(await timed('livez', service.as().call('GET', '/livez')));
    await sleep(150);
  }
  release();
  const answered = await Promise.all(calls);
  const slowest = Math.max(...answered.map((each) => each.ms));
  process.stdout.write(`${answered.length} calls, the slowest answered after ${Math.round(slowest)} ms; `);
  process.stdout.write(`livez at most ${Math.round(Math.max(...pulse.map((each) => each.ms)))} ms\n`);

  expect(answered.filter((each) => each.status !== 503)).toEqual([]);
  expect(answered.filter((each) => each.ms > 5_000)).toEqual([]);
  expect(pulse.filter((each) => each.status !== 200 || each.ms > 1_000)).toEqual([]);
  expect(pulse.length).toBeGreaterThan(10);

  expect((await caller.run(queryName)).status).toBe(200);
  expect((await caller.call('GET', '/readyz')).status).toBe(200);
  expect(service.stderr()).not.toMatch(/"level":[56]0/);
  expect(await service.stop()).toBe(0);
});

function someCalls(caller: Caller, turn: number): Promise<Timed>[] {
  return [
    timed('run', caller.run(queryName)),
    timed('create', caller.call('POST', '/api/v1/roles', { name: `role ${turn}`, permissions: [] })),
    timed('sign-in', caller.call('POST', '/api/v1/session', admin)),
  ];
}

async function timed(what: string, call: Promise<Answer<unknown>>): Promise<Timed> {
  const begun = performance.now();
  const { status } = await call;
  return { what, status, ms: Math.round(performance.now() - begun) };
}

/** This process is another one. */
function holdLock(): () => void {
  const database = new DatabaseSync(join(place.data, 'metadata.sqlite'), { timeout: 5_000 });
  database.exec('begin immediate');
  return () => {
    database.exec('rollback');
    database.close();
  };
}
