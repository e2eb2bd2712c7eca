import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Admission, type AdmissionLimits, createAdmission } from './admission.ts';

const limits: AdmissionLimits = { perDatabase: 2, perUser: 2, inAll: 3, queue: 4, queueMs: 2000 };
const opened = (changes: Partial<AdmissionLimits> = {}) => createAdmission({ ...limits, ...changes });
const calm = new AbortController().signal;

async function enter(admission: Admission, database: string, user: string, signal = calm) {
  const slot = await admission.enter(database, user, signal);
  return slot.ok ? slot.value : slot.failure;
}
async function occupy(admission: Admission, database: string, user: string) {
  const slot = await admission.enter(database, user, calm);
  if (!slot.ok) throw new Error(slot.failure.kind);
  return slot.value;
}
async function occupied(waiting: ReturnType<typeof enter>) {
  const slot = await waiting;
  if ('kind' in slot) throw new Error(slot.kind);
  return slot;
}
/** Whether a call that waits has been settled by now. */
const settled = async (waiting: Promise<unknown>) =>
  (await Promise.race([waiting, new Promise((r) => setImmediate(r, null))])) !== null;

describe('a slot', () => {
  it('is bounded per database, per user and in total', async () => {
    const admission = opened({ queue: 0 });
    await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u2');
    expect(await enter(admission, 'd1', 'u3')).toMatchObject({ kind: 'Overloaded' });
    await occupy(admission, 'd2', 'u1');
    expect(await enter(admission, 'd2', 'u1')).toMatchObject({ kind: 'UserBusy', retryAfterSeconds: 1 });
    expect(await enter(admission, 'd3', 'u3')).toMatchObject({ kind: 'Overloaded', retryAfterSeconds: 1 });
    expect(admission.counts()).toEqual({ running: 3, waiting: 0 });
  });

  it('does not count for its user after releaseUser', async () => {
    const admission = opened({ perUser: 1, queueMs: 2000 });
    const slot = await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u1');
    expect(await settled(waiting)).toBe(false);
    slot.releaseUser();
    slot.releaseUser();
    const second = await occupied(waiting);
    expect(admission.counts()).toEqual({ running: 2, waiting: 0 });
    slot[Symbol.dispose]();
    second[Symbol.dispose]();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
    await occupy(admission, 'd1', 'u1');
    expect(await settled(enter(admission, 'd1', 'u1'))).toBe(false); // counted again, and once
  });

  it('is reported as wanted if one of that database would admit a waiting call', async () => {
    const admission = opened({ perUser: 3 });
    let waits = 0;
    admission.onWait(() => waits++);
    await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u2');
    void enter(admission, 'd1', 'u3');
    expect([waits, admission.countWaiting('d1'), admission.countWaiting('d2')]).toEqual([1, 1, 0]);
    await occupy(admission, 'd2', 'u1');
    void enter(admission, 'd2', 'u3'); // all slots are in use
    expect([waits, admission.countWaiting('d1'), admission.countWaiting('d2')]).toEqual([2, 2, 1]);
  });

  it('is released once, however often it is disposed', async () => {
    const admission = opened({ queue: 0, inAll: 2 });
    const slot = await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u1');
    slot[Symbol.dispose]();
    slot[Symbol.dispose]();
    expect(admission.counts().running).toBe(1);
    await occupy(admission, 'd1', 'u1');
    expect(await enter(admission, 'd1', 'u1')).toMatchObject({ kind: 'UserBusy' });
  });
});

it('keeps the last of many slots of a database for users with nothing running', async () => {
  const admission = opened({ perUser: 16, perDatabase: 8, inAll: 20, queue: 0 });
  const slots = [];
  for (let call = 0; call < 7; call++) slots.push(await occupy(admission, 'd1', 'greedy'));
  expect(await enter(admission, 'd1', 'greedy')).toMatchObject({ kind: 'Overloaded' });
  await occupy(admission, 'd2', 'greedy');
  await occupy(admission, 'd1', 'modest');
  expect(await enter(admission, 'd1', 'another')).toMatchObject({ kind: 'Overloaded' });
  for (const slot of slots) slot[Symbol.dispose]();
  expect(admission.counts()).toEqual({ running: 2, waiting: 0 });
});

describe('the queue', () => {
  it('admits the user with the fewest running calls first, whatever the order of arrival', async () => {
    const admission = opened({ perUser: 3, perDatabase: 3, inAll: 3 });
    const [first] = [await occupy(admission, 'd1', 'greedy'), await occupy(admission, 'd1', 'greedy')];
    await occupy(admission, 'd1', 'greedy');
    const [more, modest] = [enter(admission, 'd1', 'greedy'), enter(admission, 'd1', 'modest')];
    first[Symbol.dispose]();
    expect(await settled(modest)).toBe(true);
    expect(await settled(more)).toBe(false);
  });

  it('admits a single call of a user before a batch of another that arrived first, if neither has any running', async () => {
    const admission = opened({ perUser: 2, perDatabase: 2, inAll: 2, queue: 9 });
    const [first, second] = [await occupy(admission, 'd1', 'u1'), await occupy(admission, 'd1', 'u1')];
    const batch = [1, 2, 3].map(() => enter(admission, 'd1', 'batch'));
    const single = enter(admission, 'd1', 'single');
    first[Symbol.dispose]();
    expect([await settled(single), await settled(Promise.race(batch))]).toEqual([true, false]);
    second[Symbol.dispose]();
    expect(await settled(batch[0] ?? single)).toBe(true);
  });

  it('drops a call of the user with the most waiting for a user with few', async () => {
    const admission = opened({ perUser: 1, inAll: 1, queue: 3 });
    await occupy(admission, 'd1', 'greedy');
    const greedy = [1, 2, 3].map(() => enter(admission, 'd1', 'greedy'));
    const modest = enter(admission, 'd1', 'modest');
    expect(await greedy[2]).toMatchObject({ kind: 'UserBusy' });
    expect(await settled(modest)).toBe(false);
    expect(admission.counts()).toEqual({ running: 1, waiting: 3 });
    // two each would be as unfair the other way round
    expect(await enter(admission, 'd1', 'modest')).toMatchObject({ kind: 'Overloaded' });
    expect(await enter(admission, 'd1', 'greedy')).toMatchObject({ kind: 'UserBusy' });
  });

  it('admits in order of arrival, past calls that still do not fit', async () => {
    const admission = opened({ perDatabase: 1 });
    const first = await occupy(admission, 'd1', 'u1');
    const other = await occupy(admission, 'd2', 'u1');
    const [a, b, c] = [enter(admission, 'd1', 'u2'), enter(admission, 'd1', 'u3'), enter(admission, 'd2', 'u4')];
    other[Symbol.dispose]();
    expect(await settled(c)).toBe(true);
    expect(await settled(a)).toBe(false);
    first[Symbol.dispose]();
    expect(await settled(a)).toBe(true);
    expect(await settled(b)).toBe(false);
    expect(admission.counts()).toEqual({ running: 2, waiting: 1 });
  });

  it('admits all calls that fit after one release: one waited for the database, another for the user', async () => {
    const admission = opened({ perDatabase: 1, perUser: 1 });
    const slot = await occupy(admission, 'd1', 'u1');
    const [forDatabase, forUser] = [enter(admission, 'd1', 'u2'), enter(admission, 'd2', 'u1')];
    expect(await settled(forUser)).toBe(false);
    slot[Symbol.dispose]();
    expect(await settled(forDatabase)).toBe(true);
    expect(await settled(forUser)).toBe(true);
    expect(admission.counts()).toEqual({ running: 2, waiting: 0 });
  });

  it('rejects a call immediately when it is full', async () => {
    const admission = opened({ inAll: 1, queue: 1, queueMs: 3_600_000 });
    await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u2');
    expect(await enter(admission, 'd1', 'u3')).toMatchObject({ kind: 'Overloaded' });
    expect(await settled(waiting)).toBe(false);
  });

  it('rejects a call that waited too long, and is empty then', async () => {
    const admission = opened({ inAll: 1, queueMs: 20 });
    const slot = await occupy(admission, 'd1', 'u1');
    expect(await enter(admission, 'd1', 'u2')).toMatchObject({ kind: 'Overloaded' });
    slot[Symbol.dispose]();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it('estimates the wait by how long runs of the database take and how many calls wait', async () => {
    const admission = opened({ perDatabase: 1, perUser: 1, inAll: 1 });
    expect(admission.estimateWait('d1', 0)).toBe(1);
    await occupy(admission, 'd1', 'u1');
    await delay(1_100);
    expect(admission.estimateWait('d1', 0)).toBeGreaterThanOrEqual(2);
    expect(admission.estimateWait('d2', 0)).toBe(1);
    expect(admission.estimateWait('d1', 4)).toBeGreaterThanOrEqual(6);
    expect(admission.estimateWait('d1', 1_000)).toBe(60);
  });

  it('removes a call whose caller disconnects, without a slot', async () => {
    const admission = opened({ inAll: 1 });
    const slot = await occupy(admission, 'd1', 'u1');
    const leaving = new AbortController();
    const waiting = enter(admission, 'd1', 'u2', leaving.signal);
    leaving.abort(new Error('gone'));
    expect(await waiting).toMatchObject({ kind: 'QueryCancelled', cause: new Error('gone') });
    slot[Symbol.dispose]();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
    expect(await enter(admission, 'd1', 'u2', leaving.signal)).toMatchObject({ kind: 'QueryCancelled' });
  });

  it('removes its abort listener, whether the call was admitted, expired or was rejected', async () => {
    const admission = opened({ inAll: 1, queueMs: 10 });
    const { signal } = new AbortController();
    const slot = await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u1', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    slot[Symbol.dispose]();
    await waiting;
    await enter(admission, 'd1', 'u2', signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('never exceeds its bounds and ends empty under many calls, half of which disconnect', async () => {
  const admission = opened({ queue: 1000, queueMs: 5000 });
  const running = new Map<string, number>();
  const change = (key: string, by: number) => running.set(key, (running.get(key) ?? 0) + by);
  const call = async (index: number) => {
    const keys = ['all', `d${index % 3}`, `u${index % 5}`];
    const leaving = new AbortController();
    if (index % 2 === 0) setTimeout(() => leaving.abort(), index % 17);
    const slot = await admission.enter(`d${index % 3}`, `u${index % 5}`, leaving.signal);
    if (!slot.ok) return;
    for (const key of keys) change(key, 1);
    expect(running.get('all')).toBeLessThanOrEqual(3);
    for (const key of keys.slice(1)) expect(running.get(key)).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, index % 4));
    for (const key of keys) change(key, -1);
    slot.value[Symbol.dispose]();
  };
  await Promise.all(Array.from({ length: 300 }, (_, index) => call(index)));
  expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
});
