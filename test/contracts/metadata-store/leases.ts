import { expect, it } from 'vitest';
import { now } from './fixtures.ts';
import type { OpenedStore } from './metadata-store-contract.ts';

export function leaseContract(opened: () => OpenedStore): void {
  const leases = () => opened().store.leases;

  it('has one holder at a time, who can renew it', async () => {
    expect(await leases().take('sweep', 'a', { at: now, until: now + 10 })).toBe(true);
    expect(await leases().take('sweep', 'b', { at: now + 9, until: now + 20 })).toBe(false);
    expect(await leases().take('sweep', 'a', { at: now + 9, until: now + 19 })).toBe(true);
    expect(await leases().take('sweep', 'b', { at: now + 18, until: now + 30 })).toBe(false);
    expect(await leases().take('another', 'b', { at: now, until: now + 10 })).toBe(true);
  });

  it('can be taken after it expires or is released', async () => {
    await leases().take('sweep', 'a', { at: now, until: now + 10 });
    expect(await leases().take('sweep', 'b', { at: now + 10, until: now + 20 })).toBe(true);
    await leases().release('sweep', 'a'); // no longer held by it
    expect(await leases().take('sweep', 'a', { at: now + 11, until: now + 20 })).toBe(false);
    await leases().release('sweep', 'b');
    expect(await leases().take('sweep', 'a', { at: now + 11, until: now + 20 })).toBe(true);
  });

  it('is granted to one of several parallel requests', async () => {
    const other = await opened().openAgain();
    const wanting = Array.from({ length: 8 }, (_, index) =>
      (index % 2 ? leases() : other.leases).take('sweep', `holder ${index}`, { at: now, until: now + 10 }),
    );
    expect((await Promise.all(wanting)).filter(Boolean)).toHaveLength(1);
  });
}

export function dataFileContract(opened: () => OpenedStore): void {
  const files = () => opened().store.dataFiles;
  const file = {
    id: '1',
    size: 3,
    rowCount: 1,
    queryVersion: 2,
    digest: 'd',
    etags: ['e'],
    startedAt: now,
    completedAt: now + 1,
  };

  it('is written by one process at a time, until its claim ends or is released', async () => {
    const other = (await opened().openAgain()).dataFiles;
    const wanting = ['a', 'b', 'c', 'd'].map((holder, index) =>
      (index % 2 ? files() : other).claim('n', holder, { at: now, until: now + 10 }),
    );
    expect((await Promise.all(wanting)).filter(Boolean)).toHaveLength(1);
    expect(await files().claim('n', 'e', { at: now + 10, until: now + 20 })).toBe(true);
    expect(await files().claim('n', 'e', { at: now + 15, until: now + 30 })).toBe(true);
    await other.release('n', 'a');
    expect(await other.claim('n', 'f', { at: now + 20, until: now + 40 })).toBe(false);
    await files().release('n', 'e');
    expect(await other.claim('n', 'f', { at: now + 20, until: now + 40 })).toBe(true);
  });

  it('is found by its name, both the latest and the one of which ranges were read', async () => {
    expect(await files().get('m')).toEqual({ latest: null, ranged: null });
    await files().keepLatest('m', file, now);
    await files().keepRanged('m', file, { at: now + 5, until: now + 9 });
    const newer = { ...file, id: '2' };
    await files().keepLatest('m', newer, now + 7);
    expect(await files().get('m')).toEqual({ latest: newer, ranged: { file, at: now + 5 } });
    await files().deleteExpired(now + 9);
    expect((await files().get('m')).latest).toEqual(newer);
    await files().deleteExpired(now + 10);
    expect(await files().get('m')).toEqual({ latest: null, ranged: null });
  });
}
