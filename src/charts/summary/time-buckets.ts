/** Units of time that labels are grouped by, from fine to coarse. */
export const bucketUnits = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type BucketUnit = (typeof bucketUnits)[number];

/** The first moment of the bucket of a clock; a week begins on Monday. Clocks are milliseconds as if they were UTC. */
export function startOfBucket(clock: number, unit: BucketUnit): number {
  if (!isOfMonths(unit)) return Math.floor((clock - firstMonday) / lengths[unit]) * lengths[unit] + firstMonday;
  const date = new Date(clock);
  const months = monthsOf[unit];
  return startOfMonth(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months);
}

export function nextBucket(start: number, unit: BucketUnit): number {
  if (!isOfMonths(unit)) return start + lengths[unit];
  const date = new Date(start);
  return startOfMonth(date.getUTCFullYear(), date.getUTCMonth() + monthsOf[unit]);
}

/** Buckets from that of the first clock to that of the last one, empty ones included. */
export function countBuckets(first: number, last: number, unit: BucketUnit): number {
  const [from, to] = [startOfBucket(first, unit), startOfBucket(last, unit)];
  if (!isOfMonths(unit)) return (to - from) / lengths[unit] + 1;
  return (monthNumber(to) - monthNumber(from)) / monthsOf[unit] + 1;
}

/**
 * The unit for a range of time: the coarsest that leaves 20 to 100 buckets; where none does, the finest with at most 400. No unit is
 * finer than `finest`, that of the values themselves: months stay months.
 */
export function chooseUnit(first: number, last: number, finest: BucketUnit): BucketUnit {
  const candidates = bucketUnits
    .slice(bucketUnits.indexOf(finest))
    .map((unit) => ({ unit, count: countBuckets(first, last, unit) }));
  const readable = candidates.findLast(({ count }) => count >= 20 && count <= 100);
  return (readable ?? candidates.find(({ count }) => count <= mostBuckets))?.unit ?? 'year';
}

const mostBuckets = 400;

/** The unit of a calendar's cells: days of up to 400 days, otherwise months. Years and quarters stay as they are. */
export function chooseCalendarUnit(first: number, last: number, finest: BucketUnit): BucketUnit {
  const isCoarse = bucketUnits.indexOf(finest) >= bucketUnits.indexOf('month');
  if (isCoarse) return finest;
  return countBuckets(first, last, 'day') > mostBuckets ? 'month' : 'day';
}

/** A date from `day` on, otherwise a moment without a zone. */
export function formatBucket(start: number, unit: BucketUnit): string {
  const text = new Date(start).toISOString();
  return unit === 'minute' || unit === 'hour' ? text.slice(0, 19) : text.slice(0, 10);
}

const firstMonday = 4 * 86_400_000; // 1970-01-05
const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
const monthsOf = { month: 1, quarter: 3, year: 12 } as const;
const isOfMonths = (unit: BucketUnit): unit is keyof typeof monthsOf => unit === 'month' || unit === 'quarter' || unit === 'year';

function startOfMonth(year: number, month: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month, 1); // Date.UTC maps the years 0 to 99 to 1900 to 1999
}

function monthNumber(clock: number): number {
  const date = new Date(clock);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
