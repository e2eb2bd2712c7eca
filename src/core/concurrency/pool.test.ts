import { afterEach, expect, test, vi } from 'vitest';
import { Pool, type PoolOptions } from './pool.ts';

interface Item {
  readonly id: number;
  usable: boolean;
  state: 'open' | 'ended' | 'destroyed';
}

const pools: Pool<Item>[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((pool) => pool.close(true)));
});

function poolOf(max: number, options: Partial<PoolOptions<Item>> = {}): { pool: Pool<Item>; created: Item[] } {
  const created: Item[] = [];
  const gone = (item: Item, state: Item['state']): void => {
    item.state = state;
    pool.remove(item);
  };
  const pool = new Pool<Item>({
    max,
    idleMs: 60_000,
    async create() {
      const item: Item = { id: created.length + 1, usable: true, state: 'open' };
      created.push(item);
      return item;
    },
    isUsable: ({ usable }) => usable,
    end: (item) => gone(item, 'ended'),
    destroy: (item) => gone(item, 'destroyed'),
    ...options,
  });
  pools.push(pool);
  return { pool, created };
}

test('creates items up to its limit and uses released ones again, the last one first', async () => {
  const { pool, created } = poolOf(2);
  expect(pool.tryAcquire()).toBeUndefined();
  const [first, second] = [await pool.acquire().granted, await pool.acquire().granted];
  pool.release(first);
  pool.release(second);
  expect(pool.tryAcquire()).toBe(second);
  expect(await pool.acquire().granted).toBe(first);
  expect(created).toHaveLength(2);
});

test('passes a released item to the first waiting request', async () => {
  const { pool } = poolOf(1);
  const item = await pool.acquire().granted;
  const [second, third] = [pool.acquire(), pool.acquire()];
  pool.release(item);
  expect(await second.granted).toBe(item);
  pool.release(item);
  expect(await third.granted).toBe(item);
});

test('skips a cancelled request and takes back an item that was granted before', async () => {
  const { pool } = poolOf(1);
  const item = await pool.acquire().granted;
  pool.acquire().cancel();
  const granted = pool.acquire();
  pool.release(item);
  granted.cancel();
  expect(await pool.acquire().granted).toBe(item);
});

test('keeps an item that was created for a cancelled request', async () => {
  const { pool, created } = poolOf(1);
  pool.acquire().cancel();
  await expect.poll(() => pool.tryAcquire()).toBe(created[0]);
});

test('creates an item for a waiting request when another is removed', async () => {
  const { pool, created } = poolOf(1);
  const item = await pool.acquire().granted;
  const [waiting, later] = [pool.acquire(), pool.acquire()];
  pool.remove(item);
  pool.remove(item); // counts once
  expect(await waiting.granted).toBe(created[1]);
  expect(created).toHaveLength(2);
  later.cancel();
  pool.release(item); // removed before
  expect(pool.tryAcquire()).toBeUndefined();
});

test('destroys items that are not usable', async () => {
  const { pool, created } = poolOf(2);
  const [first, second] = [await pool.acquire().granted, await pool.acquire().granted];
  first.usable = false;
  pool.release(first);
  expect(first.state).toBe('destroyed');
  pool.release(second);
  second.usable = false; // while idle
  expect(await pool.acquire().granted).toBe(created[2]);
  expect(second.state).toBe('destroyed');
});

test('rejects a request whose item cannot be created, and tries again for the next', async () => {
  let fails = true;
  const { pool } = poolOf(1, {
    async create() {
      if (fails) throw new Error('refused');
      return { id: 1, usable: true, state: 'open' };
    },
  });
  const [first, second] = [pool.acquire(), pool.acquire()];
  await expect(first.granted).rejects.toThrow('refused');
  fails = false;
  await expect(second.granted).rejects.toThrow('refused'); // began before
  expect(await pool.acquire().granted).toMatchObject({ id: 1 });
});

test('ends items that were idle for longer than the limit', async () => {
  vi.useFakeTimers();
  const { pool } = poolOf(2, { idleMs: 1000 });
  const [first, second] = [await pool.acquire().granted, await pool.acquire().granted];
  pool.release(first);
  vi.advanceTimersByTime(900);
  pool.release(second);
  vi.advanceTimersByTime(400);
  expect([first.state, second.state]).toEqual(['ended', 'open']);
});

test('closing ends idle items, rejects requests, and waits for the items in use', async () => {
  const { pool } = poolOf(2);
  const [idle, used] = [await pool.acquire().granted, await pool.acquire().granted];
  const waiting = pool.acquire();
  pool.release(idle); // to the waiting request
  expect(await waiting.granted).toBe(idle);
  const rejected = expect(pool.acquire().granted).rejects.toThrow('closed');
  let closed = false;
  const closing = pool.close().then(() => {
    closed = true;
  });
  await rejected;
  await expect(pool.acquire().granted).rejects.toThrow('closed');
  pool.release(idle);
  expect([idle.state, used.state, closed]).toEqual(['ended', 'open', false]);
  pool.release(used);
  await closing;
  expect(used.state).toBe('ended');
});

test('destroys the items in use on close if requested', async () => {
  const { pool } = poolOf(2);
  const [idle, used] = [await pool.acquire().granted, await pool.acquire().granted];
  pool.release(idle);
  await pool.close(true);
  expect([idle.state, used.state]).toEqual(['ended', 'destroyed']);
});

test('ends an item that is created while the pool closes', async () => {
  const { pool, created } = poolOf(1);
  const pending = pool.acquire();
  const closing = pool.close();
  pending.cancel();
  await closing;
  expect(created[0]?.state).toBe('ended');
});
