import { expect, it } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';

export function settingContract(store: () => MetadataStore): void {
  it('stores any JSON value until it is replaced or removed', async () => {
    expect(await store().settings.readAll()).toEqual({});
    const values = { a: 1, b: 'zwei ✌️', c: [1, null], d: { e: false }, f: null, __proto__x: 'x' };
    for (const [key, value] of Object.entries(values)) await store().settings.set(key, value);
    expect(await store().settings.readAll()).toEqual(values);
    await store().settings.set('a', { now: 'an object' });
    await store().settings.set('b', undefined);
    await store().settings.set('never there', undefined);
    const { b: _, ...rest } = values;
    expect(await store().settings.readAll()).toEqual({ ...rest, a: { now: 'an object' } });
  });
}
