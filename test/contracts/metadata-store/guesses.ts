import { expect, it } from 'vitest';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { now } from './fixtures.ts';

export function guessContract(store: () => MetadataStore): void {
  const note = (about: string[], at: number, forgetBefore = 0) => store().guesses.note(about, { at, forgetBefore });
  const latest = (about: string, since = 0, limit = 10) => store().guesses.listLatest(about, { since, limit });

  it('are returned newest first, filtered and up to a limit', async () => {
    await note(['a', 'b'], now);
    await note(['a'], now + 2);
    await note(['a'], now + 1);
    expect(await latest('a')).toEqual([now + 2, now + 1, now]);
    expect(await latest('a', now)).toEqual([now + 2, now + 1]);
    expect(await latest('a', 0, 1)).toEqual([now + 2]);
    expect(await latest('b')).toEqual([now]);
    expect(await latest('c')).toEqual([]);
  });

  it('are removed when they are older than forgetBefore', async () => {
    await note(['a', 'b'], now);
    await note(['c'], now + 10, now + 1);
    expect([await latest('a'), await latest('b'), await latest('c')]).toEqual([[], [], [now + 10]]);
  });
}
