import { setTimeout as sleep } from 'node:timers/promises';
import { guessBounds, guessKeys } from '../../access/guess-limit.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';

export type SharedGuesses = ReturnType<typeof createSharedGuesses>;

/**
 * Failed password checks of all processes. Each process also counts its own (GuessLimit) before it checks a password; failures are then
 * written to the store. A correct password writes nothing. `store` is null if this is the only process.
 */
export function createSharedGuesses(store: Pick<MetadataStore, 'guesses'> | null) {
  const { windowMs, perAccount, perAddress, delayWindowMs, failuresCounted } = guessBounds;
  const waitFor = async (about: string, most: number, now: number): Promise<number> => {
    const times = await store?.guesses.listLatest(about, { since: now - windowMs, limit: most });
    const first = times?.[most - 1];
    // the clock of another process may be ahead
    return first === undefined ? 0 : Math.max(1, Math.ceil((Math.min(first, now) + windowMs - now) / 1000));
  };
  return {
    /** Seconds until the next password check is allowed; 0: now. */
    async waitSeconds(username: string, address: string, now: number): Promise<number> {
      const waits = [
        waitFor(guessKeys.pair(username, address), perAccount, now),
        waitFor(guessKeys.address(address), perAddress, now),
      ];
      return Math.max(...(await Promise.all(waits)));
    },
    /** The failures of the account from all addresses. */
    async failuresOf(username: string, now: number): Promise<number> {
      const request = { since: now - delayWindowMs, limit: failuresCounted };
      return (await store?.guesses.listLatest(guessKeys.account(username), request))?.length ?? 0;
    },
    async recordFailure(username: string, address: string, now: number): Promise<void> {
      const about = [guessKeys.pair(username, address), guessKeys.address(address), guessKeys.account(username)];
      await store?.guesses.note(about, { at: now, forgetBefore: now - delayWindowMs });
    },
  };
}

const WAITING_PER_ACCOUNT = 20;
const WAITING_IN_ALL = 200;

export type GuessDelay = ReturnType<typeof createGuessDelay>;

/** Delays password checks. The number of waiting checks is bounded, in total and per account. */
export function createGuessDelay(pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms, undefined, { ref: false })) {
  const waiting = new Tally();
  let inAll = 0;
  return {
    /** True after the delay; false immediately if too many are waiting. */
    async wait(username: string, ms: number): Promise<boolean> {
      const account = username.toLowerCase();
      if (waiting.of(account) >= WAITING_PER_ACCOUNT || inAll >= WAITING_IN_ALL) return false;
      waiting.add(account, 1);
      inAll++;
      try {
        await pause(ms);
        return true;
      } finally {
        inAll--;
        waiting.add(account, -1);
      }
    },
  };
}
