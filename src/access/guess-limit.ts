import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { networkOf } from './address-network.ts';

const MAX_COUNTERS = 100_000;
const MAX_KNOWN_ADDRESSES = 10_000;
const FAILURES_WITHOUT_DELAY = 10;
const DELAY_STEP_MS = 250;
const MAX_DELAY_MS = 5_000;

export const guessBounds = {
  windowMs: 60_000,
  perAccount: 5, // per address, so that nobody can lock the account of somebody else
  perAddress: 50,
  delayWindowMs: 600_000,
  failuresCounted: FAILURES_WITHOUT_DELAY + MAX_DELAY_MS / DELAY_STEP_MS,
};
const { windowMs: WINDOW_MS, delayWindowMs: DELAY_WINDOW_MS, perAccount, perAddress } = guessBounds;

export type GuessLimit = ReturnType<typeof createGuessLimit>;

/** Limits password attempts only; keys, sessions and remembered credentials are not affected. */
export function createGuessLimit() {
  // with `max` instead of `maxSize`, the cache would reserve the memory of all entries at once
  const failures = new LRUCache<string, number[]>({ maxSize: MAX_COUNTERS, sizeCalculation: () => 1 }); // read with `peek`, so that the key without a failure for the longest time is evicted first
  const knownAddresses = new LRUCache<string, true>({ maxSize: MAX_KNOWN_ADDRESSES, sizeCalculation: () => 1 });

  // entries from the future were recorded before the clock was set back
  const recentOf = (key: string, now: number, windowMs = WINDOW_MS): number[] =>
    (failures.peek(key) ?? []).filter((at) => at <= now && now - at < windowMs);
  const waitFor = (key: string, most: number, now: number): number => {
    const times = recentOf(key, now);
    const first = times[times.length - most];
    return first === undefined ? 0 : Math.max(1, Math.ceil((first + WINDOW_MS - now) / 1000));
  };
  const note = (key: string, now: number, windowMs = WINDOW_MS): void => {
    const times = [...recentOf(key, now, windowMs), now].slice(-perAddress);
    failures.set(key, times);
  };
  const removeLast = (key: string): void => {
    const times = failures.peek(key);
    times?.pop();
    if (times?.length === 0) failures.delete(key);
  };

  return {
    /** Seconds until the next password check is allowed; 0: now. */
    waitSeconds: (username: string, address: string, now: number): number =>
      Math.max(waitFor(guessKeys.pair(username, address), perAccount, now), waitFor(guessKeys.address(address), perAddress, now)),
    /**
     * Milliseconds to delay a password check, whatever its outcome. Grows with the failures for this account from all addresses;
     * `elsewhere` are those that other processes counted. Addresses that the account has signed in from are not delayed.
     */
    delayMs(username: string, address: string, now: number, elsewhere: number): number {
      if (knownAddresses.has(guessKeys.pair(username, address))) return 0;
      const count = Math.max(recentOf(guessKeys.account(username), now, DELAY_WINDOW_MS).length, elsewhere);
      return Math.min(Math.max(0, count - FAILURES_WITHOUT_DELAY) * DELAY_STEP_MS, MAX_DELAY_MS);
    },
    /** Counts an attempt before its outcome is known; `recordSuccess` removes it again. */
    recordAttempt(username: string, address: string, now: number): void {
      note(guessKeys.pair(username, address), now);
      note(guessKeys.address(address), now);
      note(guessKeys.account(username), now, DELAY_WINDOW_MS);
    },
    recordSuccess(username: string, address: string): void {
      const pair = guessKeys.pair(username, address);
      failures.delete(pair);
      removeLast(guessKeys.address(address));
      removeLast(guessKeys.account(username));
      knownAddresses.set(pair, true);
    },
  };
}

/** The keys that failures are counted under. Names come from strangers and may be long, so they are hashed to a fixed size. */
export const guessKeys = {
  pair: (username: string, address: string): string => hashText(`pair ${networkOf(address)} ${username.toLowerCase()}`),
  address: (address: string): string => hashText(`address ${networkOf(address)}`),
  account: (username: string): string => hashText(`account ${username.toLowerCase()}`),
};

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');
