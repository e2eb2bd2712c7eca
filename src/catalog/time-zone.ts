/** An IANA time zone. A clock is the time that its wall clocks show, in milliseconds as if it were UTC. */
export interface TimeZone {
  clockAt(instant: number): number;
  /** The first instant of a clock that occurs twice. A clock that is skipped is moved forward by the length of the gap. */
  instantOf(clock: number): number;
}

const zones = new Map<string, TimeZone | undefined>();

/** Undefined if there is no such zone. */
export function timeZone(name: string): TimeZone | undefined {
  if (!zones.has(name)) zones.set(name, openZone(name));
  return zones.get(name);
}

export const UTC: TimeZone = { clockAt: (instant) => instant, instantOf: (clock) => clock };

function openZone(name: string): TimeZone | undefined {
  if (name === 'UTC') return UTC;
  const format = formatOf(name);
  if (format === undefined) return undefined;
  const offsetAt = cacheOffsets(format);
  return {
    clockAt: (instant) => instant + offsetAt(instant),
    instantOf(clock) {
      const [before, after] = [offsetAt(clock - dayMs), offsetAt(clock + dayMs)];
      const fits = (offset: number): boolean => offsetAt(clock - offset) === offset;
      const larger = Math.max(before, after);
      if (fits(larger)) return clock - larger;
      const smaller = Math.min(before, after);
      return fits(smaller) ? clock - smaller : clock - before;
    },
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const numeric = 'numeric' as const;
  const fields = {
    era: 'short',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'gregory', ...fields });
  } catch {
    return undefined; // there is no such zone
  }
}

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;
const mostHours = 16_384; // somewhat more than a year

/** The UTC offset of a zone at an instant. Formatting is slow, so offsets are cached by hour. */
function cacheOffsets(format: Intl.DateTimeFormat): (instant: number) => number {
  const offsets = new Map<number, number>(); // by the hours since 1970
  return (instant) => {
    const hour = Math.floor(instant / hourMs);
    const kept = offsets.get(hour);
    if (kept !== undefined) return kept;
    const [first, last] = [readOffset(hour * hourMs, format), readOffset((hour + 1) * hourMs, format)];
    if (first !== last) return readOffset(instant, format); // the offset changes in this hour
    if (offsets.size >= mostHours) offsets.clear();
    offsets.set(hour, first);
    return first;
  };
}

function readOffset(instant: number, format: Intl.DateTimeFormat): number {
  const parts: Record<string, number> = {};
  let isBeforeChrist = false;
  for (const { type, value } of format.formatToParts(instant)) {
    if (type === 'era') isBeforeChrist = value.startsWith('B');
    else parts[type] = Number(value);
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const clock = new Date(0);
  clock.setUTCFullYear(isBeforeChrist ? 1 - year : year, month - 1, day); // Date.UTC maps the years 0 to 99 to 1900 to 1999
  return clock.setUTCHours(hour, minute, second) - Math.floor(instant / 1000) * 1000;
}
