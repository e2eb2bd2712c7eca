import { guessBounds, guessKeys } from '../../access/guess-limit.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';

/**
 * Wrong passwords at all processes together. Each counts by itself as well (GuessLimit), before it looks at a password; what failed is then
 * told to the others. A right password writes nothing.
 */
export interface SharedGuesses {
  /** Seconds to wait before another password is looked at; 0: go ahead. */
  waitSeconds(username: string, address: string, now: number): Promise<number>;
  /** Of the account, from all addresses. */
  failuresOf(username: string, now: number): Promise<number>;
  failed(username: string, address: string, now: number): Promise<void>;
}

/** `store` null: there is no other process. */
export function createSharedGuesses(store: Pick<MetadataStore, 'guesses'> | null): SharedGuesses {
  if (store === null) return { waitSeconds: async () => 0, failuresOf: async () => 0, failed: async () => undefined };
  const { windowMs, perAccount, perAddress, delayWindowMs, failuresCounted } = guessBounds;
  const waitFor = async (about: string, most: number, now: number): Promise<number> => {
    const times = await store.guesses.latest(about, { since: now - windowMs, limit: most });
    const first = times[most - 1];
    // a clock that is ahead of ours makes nobody wait longer
    return first === undefined ? 0 : Math.max(1, Math.ceil((Math.min(first, now) + windowMs - now) / 1000));
  };
  return {
    async waitSeconds(username, address, now) {
      const waits = [
        waitFor(guessKeys.pair(username, address), perAccount, now),
        waitFor(guessKeys.address(address), perAddress, now),
      ];
      return Math.max(...(await Promise.all(waits)));
    },
    async failuresOf(username, now) {
      const since = now - delayWindowMs;
      return (await store.guesses.latest(guessKeys.account(username), { since, limit: failuresCounted })).length;
    },
    failed: (username, address, now) =>
      store.guesses.note([guessKeys.pair(username, address), guessKeys.address(address), guessKeys.account(username)], {
        at: now,
        forgetBefore: now - delayWindowMs,
      }),
  };
}
