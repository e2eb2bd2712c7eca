import { describe, expect, it } from 'vitest';
import { createWorkerLimits } from './worker-limits.ts';

const limitsAt = (clock: { ms: number }) => createWorkerLimits(() => clock.ms);

describe('calls', () => {
  it('are granted up to those of one second, and grow with time', () => {
    const clock = { ms: 1000 };
    const { respond } = limitsAt(clock);
    const take = (wanted: number) => respond({ kind: 'calls', name: 'key', perSecond: 10, wanted }).granted;
    expect([take(4), take(4), take(4)]).toEqual([4, 4, 2]);
    clock.ms += 250;
    expect(take(4)).toBe(2);
    clock.ms += 60_000;
    expect(take(40)).toBe(10);
  });
});

describe('slots', () => {
  it('are never more than allowed, and return when a worker ends', () => {
    const { respond, drop } = createWorkerLimits();
    const hold = (process: string, wanted: number, used = 0) =>
      respond({ kind: 'slots', name: 'user', process, most: 4, wanted, used }).granted;
    expect([hold('a', 3), hold('b', 3), hold('a', 2), hold('b', 3)]).toEqual([3, 1, 2, 2]);
    drop('a');
    expect(hold('b', 9)).toBe(4);
    expect(hold('b', 0)).toBe(0);
  });

  it('are divided equally if more are wanted than there are, and those in use count until they are returned', () => {
    const { respond } = createWorkerLimits();
    const hold = (process: string, wanted: number, used: number) =>
      respond({ kind: 'slots', name: 'user', process, most: 16, wanted, used }).granted;
    expect([hold('a', 16, 0), hold('b', 10, 0)]).toEqual([16, 0]);
    expect([hold('a', 16, 12), hold('b', 10, 0)]).toEqual([8, 4]); // a still uses 12
    expect([hold('a', 16, 8), hold('b', 10, 4)]).toEqual([8, 8]);
    expect([hold('b', 1, 1), hold('a', 16, 8)]).toEqual([1, 15]);
  });
});

describe('rows of a day', () => {
  const request = { kind: 'rows', keyId: 'k', day: 5, most: 100 } as const;

  it('are never held twice, even if a worker has read an older count', () => {
    const { respond } = createWorkerLimits();
    expect(respond({ ...request, process: 'b', had: 90, wanted: 5 })).toEqual({ granted: 5, others: 0 });
    // b has sent its five rows and holds none; a has read the count before
    expect(respond({ ...request, process: 'b', had: 95, wanted: 0 })).toEqual({ granted: 0, others: 0 });
    expect(respond({ ...request, process: 'a', had: 90, wanted: 10 })).toEqual({ granted: 5, others: 0 });
  });

  it('start anew on the next day', () => {
    const { respond } = createWorkerLimits();
    respond({ ...request, process: 'a', had: 0, wanted: 100 });
    expect(respond({ ...request, day: 6, process: 'b', had: 0, wanted: 100 })).toEqual({ granted: 100, others: 0 });
    expect(respond({ ...request, process: 'a', had: 0, wanted: 1 })).toEqual({ granted: 0, others: 0 });
  });
});
