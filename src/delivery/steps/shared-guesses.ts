import { guessBounds, guessKeys } from '../../access/guess-limit.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';

/**
 * Failed password checks of all processes. Each process also counts its own (GuessLimit) before it checks a password; failures are then
 * written to the store. A correct password writes nothing.
 */
export interface SharedGuesses {
  /** Seconds until the next password check is allowed; 0: now. */
  waitSeconds(username: string, address: string, now: number): Promise<number>;
  /** The failures of the account from all addresses. */
  failuresOf(username: string, now: number): Promise<number>;
  failed(username: string, address: string, now: number): Promise<void>;
}

/** `store` is null if this is the only process. */
export function createSharedGuesses(store: Pick<MetadataStore, 'guesses'> | null): SharedGuesses {
  if (store === null) return { waitSeconds: async () => 0, failuresOf: async () => 0, failed: async () => undefined };
  const { windowMs, perAccount, perAddress, delayWindowMs, failuresCounted } = guessBounds;
  const waitFor = async (about: string, most: number, now: number): Promise<number> => {
    const times = await store.guesses.latest(about, { since: now - windowMs, limit: most });
    const first = times[most - 1];
    // the clock of another process may be ahead
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
