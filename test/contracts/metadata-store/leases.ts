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
