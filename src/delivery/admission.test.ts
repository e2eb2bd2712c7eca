import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Admission, type AdmissionLimits, createAdmission } from './admission.ts';

const limits: AdmissionLimits = { perDatabase: 2, perUser: 2, inAll: 3, queue: 4, queueMs: 2000 };
const opened = (changes: Partial<AdmissionLimits> = {}) => createAdmission({ ...limits, ...changes });
const calm = new AbortController().signal;

async function enter(admission: Admission, database: string, user: string, signal = calm) {
  const place = await admission.enter(database, user, signal);
  return place.ok ? place.value : place.failure;
}
async function occupy(admission: Admission, database: string, user: string) {
  const place = await admission.enter(database, user, calm);
  if (!place.ok) throw new Error(place.failure.kind);
  return place.value;
}
async function occupied(waiting: ReturnType<typeof enter>) {
  const place = await waiting;
  if (!('release' in place)) throw new Error(place.kind);
  return place;
}
/** Whether a call that waits has been answered by now. */
const settled = async (waiting: Promise<unknown>) =>
  (await Promise.race([waiting, new Promise((r) => setImmediate(r, null))])) !== null;

describe('a place', () => {
  it('is bounded per database, per user and in all', async () => {
    const admission = opened({ queue: 0 });
    await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u2');
    expect(await enter(admission, 'd1', 'u3')).toMatchObject({ kind: 'Overloaded' });
    await occupy(admission, 'd2', 'u1');
    expect(await enter(admission, 'd2', 'u1')).toMatchObject({ kind: 'UserBusy', retryAfterSeconds: 1 });
    expect(await enter(admission, 'd3', 'u3')).toMatchObject({ kind: 'Overloaded', retryAfterSeconds: 1 });
    expect(admission.counts()).toEqual({ running: 3, waiting: 0 });
  });

  it('that is left to its database counts for its user no more', async () => {
    const admission = opened({ perUser: 1, queueMs: 2000 });
    const place = await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u1');
    expect(await settled(waiting)).toBe(false);
    place.releaseUser();
    place.releaseUser();
    const second = await occupied(waiting);
    expect(admission.counts()).toEqual({ running: 2, waiting: 0 });
    place.release();
    second.release();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
    await occupy(admission, 'd1', 'u1');
    expect(await settled(enter(admission, 'd1', 'u1'))).toBe(false); // counted again, and once
  });

  it('is reported as wanted where one of that database would help those who wait', async () => {
    const admission = opened({ perUser: 3 });
    let waits = 0;
    admission.onWait(() => waits++);
    await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u2');
    void enter(admission, 'd1', 'u3');
    expect([waits, admission.wanting('d1'), admission.wanting('d2')]).toEqual([1, 1, 0]);
    await occupy(admission, 'd2', 'u1');
    void enter(admission, 'd2', 'u3'); // all places are taken
    expect([waits, admission.wanting('d1'), admission.wanting('d2')]).toEqual([2, 2, 1]);
  });

  it('is given back once, however often it is released', async () => {
    const admission = opened({ queue: 0, inAll: 2 });
    const place = await occupy(admission, 'd1', 'u1');
    await occupy(admission, 'd1', 'u1');
    place.release();
    place.release();
    expect(admission.counts().running).toBe(1);
    await occupy(admission, 'd1', 'u1');
    expect(await enter(admission, 'd1', 'u1')).toMatchObject({ kind: 'UserBusy' });
  });
});

describe('the queue', () => {
  it('lets in first who has the least running, whoever came first', async () => {
    const admission = opened({ perUser: 3, perDatabase: 3, inAll: 3 });
    const [first] = [await occupy(admission, 'd1', 'greedy'), await occupy(admission, 'd1', 'greedy')];
    await occupy(admission, 'd1', 'greedy');
    const [more, modest] = [enter(admission, 'd1', 'greedy'), enter(admission, 'd1', 'modest')];
    first.release();
    expect(await settled(modest)).toBe(true);
    expect(await settled(more)).toBe(false);
  });

  it('takes from who fills it, for one who has few waiting', async () => {
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

  it('lets in by order of arrival, past those who still do not fit', async () => {
    const admission = opened({ perDatabase: 1 });
    const first = await occupy(admission, 'd1', 'u1');
    const other = await occupy(admission, 'd2', 'u1');
    const [a, b, c] = [enter(admission, 'd1', 'u2'), enter(admission, 'd1', 'u3'), enter(admission, 'd2', 'u4')];
    other.release();
    expect(await settled(c)).toBe(true);
    expect(await settled(a)).toBe(false);
    first.release();
    expect(await settled(a)).toBe(true);
    expect(await settled(b)).toBe(false);
    expect(admission.counts()).toEqual({ running: 2, waiting: 1 });
  });

  it('lets in all who fit after one release: one waited for the database, another for the user', async () => {
    const admission = opened({ perDatabase: 1, perUser: 1 });
    const place = await occupy(admission, 'd1', 'u1');
    const [forDatabase, forUser] = [enter(admission, 'd1', 'u2'), enter(admission, 'd2', 'u1')];
    expect(await settled(forUser)).toBe(false);
    place.release();
    expect(await settled(forDatabase)).toBe(true);
    expect(await settled(forUser)).toBe(true);
    expect(admission.counts()).toEqual({ running: 2, waiting: 0 });
  });

  it('is short: who comes when it is full is refused at once', async () => {
    const admission = opened({ inAll: 1, queue: 1, queueMs: 3_600_000 });
    await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u2');
    expect(await enter(admission, 'd1', 'u3')).toMatchObject({ kind: 'Overloaded' });
    expect(await settled(waiting)).toBe(false);
  });

  it('is left when the time is over, and then holds nothing', async () => {
    const admission = opened({ inAll: 1, queueMs: 20 });
    const place = await occupy(admission, 'd1', 'u1');
    expect(await enter(admission, 'd1', 'u2')).toMatchObject({ kind: 'Overloaded' });
    place.release();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
  });

  it('is left by a caller who leaves, without taking a place', async () => {
    const admission = opened({ inAll: 1 });
    const place = await occupy(admission, 'd1', 'u1');
    const leaving = new AbortController();
    const waiting = enter(admission, 'd1', 'u2', leaving.signal);
    leaving.abort(new Error('gone'));
    expect(await waiting).toMatchObject({ kind: 'QueryCancelled', cause: new Error('gone') });
    place.release();
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
    expect(await enter(admission, 'd1', 'u2', leaving.signal)).toMatchObject({ kind: 'QueryCancelled' });
  });

  it('leaves no listener behind, whether one got in, waited in vain or was refused', async () => {
    const admission = opened({ inAll: 1, queueMs: 10 });
    const { signal } = new AbortController();
    const place = await occupy(admission, 'd1', 'u1');
    const waiting = enter(admission, 'd1', 'u1', signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    place.release();
    await waiting;
    await enter(admission, 'd1', 'u2', signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('never passes its bounds and ends empty under a storm of calls, half of which leave', async () => {
  const admission = opened({ queue: 1000, queueMs: 5000 });
  const running = new Map<string, number>();
  const change = (key: string, by: number) => running.set(key, (running.get(key) ?? 0) + by);
  const call = async (index: number) => {
    const keys = ['all', `d${index % 3}`, `u${index % 5}`];
    const leaving = new AbortController();
    if (index % 2 === 0) setTimeout(() => leaving.abort(), index % 17);
    const place = await admission.enter(`d${index % 3}`, `u${index % 5}`, leaving.signal);
    if (!place.ok) return;
    for (const key of keys) change(key, 1);
    expect(running.get('all')).toBeLessThanOrEqual(3);
    for (const key of keys.slice(1)) expect(running.get(key)).toBeLessThanOrEqual(2);
    await new Promise((resolve) => setTimeout(resolve, index % 4));
    for (const key of keys) change(key, -1);
    place.value.release();
  };
  await Promise.all(Array.from({ length: 300 }, (_, index) => call(index)));
  expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
});
