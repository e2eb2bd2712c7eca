/** The limits of a single key. The general limits, which are settings, apply as well. */
export interface KeyLimits {
  readonly callsPerSecond?: number;
  readonly rowsPerDay?: number;
  readonly concurrent?: number;
}

/** The lower of a key's own limit and the general limit; 0: no limit. */
export function narrower(own: number | undefined, general: number): number {
  if (own === undefined) return general;
  return general === 0 ? own : Math.min(own, general);
}

const DAY_MS = 86_400_000;

/** UTC days, so that all processes agree. */
export const dayOf = (now: number): number => Math.floor(now / DAY_MS);
export const nextDayAt = (now: number): number => (dayOf(now) + 1) * DAY_MS;
