const WINDOW_MS = 60_000;
const FAILURES_PER_ACCOUNT = 5; // and address, so that a stranger cannot lock someone out
const FAILURES_PER_ADDRESS = 50;
export const guessBounds = { windowMs: WINDOW_MS, perAccount: FAILURES_PER_ACCOUNT, perAddress: FAILURES_PER_ADDRESS };
const REMEMBERED = 100_000;

export interface GuessLimit {
  /** Seconds to wait before another password is looked at; 0: go ahead. */
  waitSeconds(username: string, address: string, now: number): number;
  /** Counts a try before its outcome is known; `succeeded` takes it back. */
  tried(username: string, address: string, now: number): void;
  succeeded(username: string, address: string): void;
}

/** Password failures only: keys, sessions and remembered credentials are never stopped by it. */
export function createGuessLimit(): GuessLimit {
  const failures = new Map<string, number[]>();
  const accountKey = (username: string, address: string): string => `${address} ${username.toLowerCase()}`;

  // what seems to lie in the future was noted before the clock was set back
  const recent = (key: string, now: number): number[] =>
    (failures.get(key) ?? []).filter((at) => at <= now && now - at < WINDOW_MS);
  const waitFor = (key: string, most: number, now: number): number => {
    const times = recent(key, now);
    const first = times[times.length - most];
    return first === undefined ? 0 : Math.max(1, Math.ceil((first + WINDOW_MS - now) / 1000));
  };
  const note = (key: string, now: number): void => {
    const times = [...recent(key, now), now].slice(-FAILURES_PER_ADDRESS);
    failures.delete(key); // keeps the map in order of last failure, so that the oldest are forgotten first
    failures.set(key, times);
    if (failures.size > REMEMBERED) failures.delete(failures.keys().next().value ?? '');
  };

  return {
    waitSeconds: (username, address, now) =>
      Math.max(waitFor(accountKey(username, address), FAILURES_PER_ACCOUNT, now), waitFor(address, FAILURES_PER_ADDRESS, now)),
    tried: (username, address, now) => {
      note(accountKey(username, address), now);
      note(address, now);
    },
    succeeded: (username, address) => {
      failures.delete(accountKey(username, address));
      const ofAddress = failures.get(address);
      ofAddress?.pop();
      if (ofAddress?.length === 0) failures.delete(address);
    },
  };
}
