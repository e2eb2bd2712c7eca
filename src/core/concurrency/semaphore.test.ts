import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('grants as many permits as it has', () => {
  const semaphore = new Semaphore(2);
  expect([semaphore.tryAcquire(), semaphore.tryAcquire(), semaphore.tryAcquire()]).toEqual([true, true, false]);
  semaphore.release();
  expect(semaphore.tryAcquire()).toBe(true);
});

test('grants released permits in the order of the requests', async () => {
  const semaphore = new Semaphore(1);
  const order: number[] = [];
  const requests = [1, 2, 3].map((number) => semaphore.acquire().granted.then(() => order.push(number)));
  expect(semaphore.waiting).toBe(2);
  semaphore.release();
  expect(semaphore.tryAcquire()).toBe(false); // it belongs to the second request
  semaphore.release();
  await Promise.all(requests);
  expect(order).toEqual([1, 2, 3]);
});

test('skips a cancelled request', async () => {
  const semaphore = new Semaphore(1);
  semaphore.tryAcquire();
  semaphore.acquire().cancel();
  const next = semaphore.acquire();
  semaphore.release();
  await next.granted;
  expect(semaphore.waiting).toBe(0);
});

test('returns a permit that was granted before the request was cancelled', () => {
  const semaphore = new Semaphore(1);
  semaphore.tryAcquire();
  const pending = semaphore.acquire();
  semaphore.release();
  pending.cancel();
  expect(semaphore.tryAcquire()).toBe(true);
  semaphore.release();
  semaphore.acquire().cancel();
  expect(semaphore.tryAcquire()).toBe(true);
});

test('a request with a time limit reports whether it got a permit in time', async () => {
  const semaphore = new Semaphore(1);
  expect(await semaphore.acquireWithin(10_000)).toBe(true);
  expect(await semaphore.acquireWithin(1)).toBe(false);
  expect(semaphore.waiting).toBe(0);
  const waiting = semaphore.acquireWithin(10_000);
  semaphore.release();
  expect(await waiting).toBe(true);
});
