/** What one key may use up, where it says so itself. Everyone's limits, which are settings, count beside them. */
export interface KeyLimits {
  readonly callsPerSecond?: number;
  readonly rowsPerDay?: number;
  readonly concurrent?: number;
}

/** The narrower of a key's own limit and everyone's; 0: none. */
export function narrower(own: number | undefined, everyones: number): number {
  if (own === undefined) return everyones;
  return everyones === 0 ? own : Math.min(own, everyones);
}

const DAY_MS = 86_400_000;

/** Days are those of UTC, so that every process means the same one. */
export const dayOf = (now: number): number => Math.floor(now / DAY_MS);
export const nextDayAt = (now: number): number => (dayOf(now) + 1) * DAY_MS;
