import { createHash } from 'node:crypto';
import { guessBounds } from '../../access/guess-limit.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';

/**
 * Wrong passwords at all processes together. Each counts by itself as well (GuessLimit), before it looks at a password; what failed is then
 * told to the others. A right password writes nothing.
 */
export interface SharedGuesses {
  /** Seconds to wait before another password is looked at; 0: go ahead. */
  waitSeconds(username: string, address: string, now: number): Promise<number>;
  failed(username: string, address: string, now: number): Promise<void>;
}

/** `store` null: there is no other process. */
export function createSharedGuesses(store: Pick<MetadataStore, 'guesses'> | null): SharedGuesses {
  if (store === null) return { waitSeconds: async () => 0, failed: async () => undefined };
  const { windowMs, perAccount, perAddress } = guessBounds;
  const waitFor = async (about: string, most: number, now: number): Promise<number> => {
    const times = await store.guesses.latest(about, { since: now - windowMs, limit: most });
    const first = times[most - 1];
    // a clock that is ahead of ours makes nobody wait longer
    return first === undefined ? 0 : Math.max(1, Math.ceil((Math.min(first, now) + windowMs - now) / 1000));
  };
  return {
    async waitSeconds(username, address, now) {
      const waits = [waitFor(ofAccount(username, address), perAccount, now), waitFor(ofAddress(address), perAddress, now)];
      return Math.max(...(await Promise.all(waits)));
    },
    failed: (username, address, now) =>
      store.guesses.note([ofAccount(username, address), ofAddress(address)], { at: now, forgetBefore: now - windowMs }),
  };
}

const ofAddress = (address: string): string => hashed(address);
const ofAccount = (username: string, address: string): string => hashed(`${address} ${username.toLowerCase()}`);

/** Names are chosen by strangers and may be long. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('base64url');
