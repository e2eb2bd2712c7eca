import { beforeEach, describe, expect, it } from 'vitest';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { type ChartCache, createChartCache, type Sized } from './chart-cache.ts';

let time: number;
let made: number;
let cache: ChartCache<number>;
beforeEach(() => {
  time = 1000;
  made = 0;
  cache = createChartCache(
    () => 10_000,
    () => time,
    100,
  );
});

const staying = new AbortController().signal;
const sized =
  (bytes = 10) =>
  (): Promise<Result<Sized<number>>> =>
    Promise.resolve(succeeded({ value: ++made, bytes }));
const ask = async (key: string, make: (left: AbortSignal) => Promise<Result<Sized<number>>> = sized()) => {
  const { result, cached } = await cache.get(key, staying, make);
  return [result.ok ? result.value : result.failure.kind, cached];
};

describe('a cached chart', () => {
  it('is computed once for all callers until it expires', async () => {
    expect(await ask('a')).toEqual([1, false]);
    time += 9_999;
    expect(await ask('a')).toEqual([1, true]);
    expect(await ask('b')).toEqual([2, false]);
    time += 2;
    expect(await ask('a')).toEqual([3, false]);
  });

  it('is computed once for concurrent callers', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => ask('a')));
    expect(made).toBe(1);
    expect(responses.filter(([, cached]) => cached === false)).toHaveLength(1);
  });

  it('is evicted if all take too much memory, and is not cached if it alone does', async () => {
    for (const key of ['a', 'b', 'c']) await ask(key, sized(40));
    expect(await ask('b', sized(40))).toEqual([2, true]);
    expect(await ask('a', sized(40))).toEqual([4, false]);
    await ask('large', sized(101));
    expect(await ask('large', sized(101))).toEqual([6, false]);
  });

  it('is computed again a second after a failure', async () => {
    const fails = async (): Promise<Result<Sized<number>>> => {
      made++;
      return failed({ kind: 'QueryFailed', cause: null });
    };
    expect(await ask('a', fails)).toEqual(['QueryFailed', false]);
    expect(await ask('a', fails)).toEqual(['QueryFailed', true]);
    time += 1001;
    expect(await ask('a')).toEqual([2, false]);
  });

  it('is computed again immediately after a defect, which all waiting callers see', async () => {
    const breaks = () => Promise.reject(new Error('a defect'));
    const both = await Promise.allSettled([ask('a', breaks), ask('a', breaks)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask('a')).toEqual([1, false]);
  });
});

describe('a chart in computation', () => {
  const pending = () => {
    let stopped = false;
    const wait = (left: AbortSignal) =>
      new Promise<Result<Sized<number>>>((resolve) => {
        left.addEventListener('abort', () => {
          stopped = true;
          resolve(failed({ kind: 'QueryCancelled', cause: null }));
        });
      });
    return { wait, stopped: () => stopped };
  };

  it('is aborted when the last waiting caller disconnects, and computed again for the next', async () => {
    const { wait, stopped } = pending();
    const [one, two] = [new AbortController(), new AbortController()];
    const responses = [cache.get('a', one.signal, wait), cache.get('a', two.signal, wait)];
    await Promise.resolve();
    one.abort();
    expect(stopped()).toBe(false);
    two.abort();
    const late = await ask('a');
    expect(stopped()).toBe(true);
    expect((await Promise.all(responses)).map(({ result }) => result.ok)).toEqual([false, false]);
    expect(late).toEqual([1, false]);
    expect(await ask('a')).toEqual([1, true]);
  });

  it('is aborted for a caller that has already disconnected', async () => {
    const { result } = await cache.get('a', AbortSignal.abort(), async (left) =>
      left.aborted ? failed({ kind: 'QueryCancelled', cause: null }) : succeeded({ value: 1, bytes: 1 }),
    );
    expect(result.ok).toBe(false);
  });
});
