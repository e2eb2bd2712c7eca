import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorkerLimits } from '../../operations/worker-limits.ts';
import type { LimitRepository } from '../../store/metadata-store.ts';
import { createAdmission } from './admission.ts';
import { createSharedLimits } from './shared-limits.ts';
import { createUserSlots } from './user-slots.ts';

const perUser = 8;
const calm = new AbortController().signal;

/** Processes that share the slots of users. */
function startProcesses(names: readonly string[], queueMs = 5000) {
  const { respond } = createWorkerLimits();
  const unused = () => Promise.reject(new Error('not part of this test'));
  const limits: LimitRepository = {
    ...{ takeCalls: unused, holdRows: unused, drop: unused, keepSlots: unused },
    async holdSlots(request) {
      await delay(1);
      return respond({ kind: 'slots', ...request }).granted;
    },
  };
  return names.map((name) => {
    const slots = createUserSlots(createSharedLimits(limits, name, Date.now), perUser);
    const admission = createAdmission({ perDatabase: 100, perUser, inAll: 100, queue: 100, queueMs }, slots.mostOf);
    return { admission, ...slots.share(admission) };
  });
}
type Process = ReturnType<typeof startProcesses>[number];

test('two busy processes run as many calls of a user as are allowed, never more, and each gets its part', async () => {
  const processes = startProcesses(['a', 'b']);
  const [a, b] = processes;
  if (a === undefined || b === undefined) throw new Error('two were started');
  const until = performance.now() + 1500;
  let running = 0;
  let most = 0;
  const calls = new Map<Process, number>();
  async function callUntilEnd(process: Process): Promise<void> {
    while (performance.now() < until) {
      const slot = await process.enter('db', 'ada', calm);
      if (!slot.ok) throw new Error(slot.failure.kind);
      most = Math.max(most, ++running);
      await delay(2);
      running--;
      slot.value[Symbol.dispose]();
      calls.set(process, (calls.get(process) ?? 0) + 1);
    }
  }
  const renewal = setInterval(() => void Promise.all(processes.map((each) => each.renew())), 50);
  const load = Array.from({ length: 16 }, () => callUntilEnd(a));
  await delay(100); // a holds all slots when b begins
  await Promise.all([...load, ...Array.from({ length: 16 }, () => callUntilEnd(b))]);
  clearInterval(renewal);
  expect(most).toBe(perUser);
  expect(calls.get(b)).toBeGreaterThan((calls.get(a) ?? 0) / 4);
  await Promise.all(processes.map((each) => each.renew()));
  await Promise.all(processes.map((each) => each.renew()));
  expect(processes.map(({ admission }) => admission.counts())).toEqual([
    { running: 0, waiting: 0 },
    { running: 0, waiting: 0 },
  ]);
});

test('a call that finds all slots in use elsewhere is refused at once if calls do not wait', async () => {
  const [a, b] = startProcesses(['a', 'b'], 0);
  const held = await Promise.all(Array.from({ length: perUser }, () => a?.enter('db', 'ada', calm)));
  expect(held.map((each) => each?.ok)).toEqual(Array(perUser).fill(true));
  expect(await b?.enter('db', 'ada', calm)).toMatchObject({ ok: false, failure: { kind: 'UserBusy' } });
  expect(await b?.enter('db', 'bob', calm)).toMatchObject({ ok: true });
});

test('a viewer of an application runs several calls at once, up to what is kept for other viewers', async () => {
  const [a] = startProcesses(['a'], 0);
  const calls = await Promise.all(Array.from({ length: perUser }, () => a?.enter('db', 'app:viewer', calm)));
  expect(calls.filter((each) => each?.ok)).toHaveLength(perUser - perUser / 4);
  expect(await a?.enter('db', 'app:another', calm)).toMatchObject({ ok: true });
});
