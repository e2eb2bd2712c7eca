import { beforeEach, describe, expect, it } from 'vitest';
import { failed, type Result, succeeded } from '../../errors.ts';
import { type ChartCache, createChartCache, type Sized } from './chart-cache.ts';

let time: number;
let made: number;
let cache: ChartCache<number>;
beforeEach(() => {
  time = 1000;
  made = 0;
  cache = createChartCache({ keepMs: () => 10_000, now: () => time, maxBytes: 100 });
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

describe('a chart that is kept', () => {
  it('is made once for all who ask until its time is over', async () => {
    expect(await ask('a')).toEqual([1, false]);
    time += 9_999;
    expect(await ask('a')).toEqual([1, true]);
    expect(await ask('b')).toEqual([2, false]);
    time += 1;
    expect(await ask('a')).toEqual([3, false]);
  });

  it('is made once for those who ask at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('a')));
    expect(made).toBe(1);
    expect(answers.filter(([, cached]) => cached === false)).toHaveLength(1);
  });

  it('makes room for others when all of them take too much, and is not kept when it alone does', async () => {
    for (const key of ['a', 'b', 'c']) await ask(key, sized(40));
    expect(await ask('b', sized(40))).toEqual([2, true]);
    expect(await ask('a', sized(40))).toEqual([4, false]);
    await ask('large', sized(101));
    expect(await ask('large', sized(101))).toEqual([6, false]);
  });

  it('is tried again a second after it failed', async () => {
    const fails = async (): Promise<Result<Sized<number>>> => {
      made++;
      return failed({ kind: 'QueryFailed', cause: null });
    };
    expect(await ask('a', fails)).toEqual(['QueryFailed', false]);
    expect(await ask('a', fails)).toEqual(['QueryFailed', true]);
    time += 1000;
    expect(await ask('a')).toEqual([2, false]);
  });

  it('is tried again at once after a defect, which everyone who waited is told', async () => {
    const breaks = () => Promise.reject(new Error('a defect'));
    const both = await Promise.allSettled([ask('a', breaks), ask('a', breaks)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask('a')).toEqual([1, false]);
  });
});

describe('a chart that is being made', () => {
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

  it('is stopped when the last of those who wait has left, and made anew for who comes then', async () => {
    const { wait, stopped } = pending();
    const [one, two] = [new AbortController(), new AbortController()];
    const answers = [cache.get('a', one.signal, wait), cache.get('a', two.signal, wait)];
    await Promise.resolve();
    one.abort();
    expect(stopped()).toBe(false);
    two.abort();
    const late = await ask('a');
    expect(stopped()).toBe(true);
    expect((await Promise.all(answers)).map(({ result }) => result.ok)).toEqual([false, false]);
    expect(late).toEqual([1, false]);
    expect(await ask('a')).toEqual([1, true]);
  });

  it('is not begun in earnest for one who has left before', async () => {
    const { result } = await cache.get('a', AbortSignal.abort(), async (left) =>
      left.aborted ? failed({ kind: 'QueryCancelled', cause: null }) : succeeded({ value: 1, bytes: 1 }),
    );
    expect(result.ok).toBe(false);
  });
});
