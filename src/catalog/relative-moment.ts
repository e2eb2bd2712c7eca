import { withFraction } from './cast/cast-moment.ts';
import { type CastResult, castSucceeded, quote, castFailed } from './cast/cast-result.ts';
import { withShortUnits } from './cast/moment-words.ts';
import type { TimeZone } from './time-zone.ts';

/** The moment of a call: every relative moment of an execution is evaluated against it. */
export interface Clock {
  readonly now: number;
  readonly zone: TimeZone;
}

export type MomentType = 'date' | 'datetime' | 'datetimeoffset';
export const isMomentType = (name: string): name is MomentType =>
  name === 'date' || name === 'datetime' || name === 'datetimeoffset';

/** `today-7d`: an anchor and moves, in lower case and without blanks. */
export type RelativeMoment = string;

/**
 * The expression in its canonical spelling; null if the text does not begin with an anchor and is therefore no relative moment.
 * What follows the anchor is checked by `evaluate`.
 */
export function parseRelativeMoment(text: string): RelativeMoment | null {
  if (text.length > longestExpression) return null;
  const bare = text.replace(/\s+/g, '');
  const expression = bare.toLowerCase();
  const anchor = anchorForm.exec(expression)?.[0];
  // `M` means months elsewhere: it stays in its case, so that it is refused and not read as minutes
  return anchor === undefined
    ? null
    : anchor + bare.slice(anchor.length).replace(/[A-Z]+/g, (unit) => (unit === 'M' ? unit : unit.toLowerCase()));
}

/** The canonical text of a relative moment, see `BoundValue`; or what is wrong with the expression. */
export function evaluate(expression: RelativeMoment, type: MomentType, { now, zone }: Clock): CastResult {
  const anchor = anchorForm.exec(expression)?.[0] ?? '';
  const rest = expression.slice(anchor.length);
  if (!movesForm.test(rest)) return castFailed(describeWrongMoves(expression));
  let instant = anchor === 'now' ? now : zone.instantOf(resolveAnchor(anchor, zone.clockAt(now)));
  for (const [, sign, digits, unit = ''] of rest.matchAll(moveForm)) {
    const amount = Number(digits) * (sign === '-' ? -1 : 1);
    if (amount !== 0) instant = moveInstant(instant, amount, unit, zone);
    if (!isInRange(instant) || !isInRange(zone.clockAt(instant)))
      return castFailed(`${quote(expression)} is not between the years 0001 and 9999.`);
  }
  return castSucceeded(formatInstant(instant, type, zone));
}

export const changesWithinDay = (expression: RelativeMoment, type: string): boolean =>
  type !== 'date' && expression.startsWith('now');

const longestExpression = 100;
const periods = ['week', 'month', 'quarter', 'year'] as const;
type Period = (typeof periods)[number];

const anchorForm = new RegExp(`^(?:now|today|yesterday|tomorrow|(?:${periods.join('|')})-(?:start|end))(?![a-z])`);
const move = '([+-])(\\d{1,9})(mo|[smhdwqy])';
const moveForm = new RegExp(move, 'g');
const movesForm = new RegExp(`^(?:${move})*$`);

function describeWrongMoves(expression: string): string {
  const short = withShortUnits(expression);
  const meant = short !== expression && movesForm.test(short.slice(anchorForm.exec(short)?.[0].length)) ? ` Write ${short}.` : '';
  return `${quote(expression)} is not a valid relative moment.${meant} Add or subtract whole numbers of s, m, h, d, w, mo, q or y, as in today-7d or month-start-1mo (m is minutes, mo is months).`;
}

const secondMs = 1000;
const dayMs = 24 * 60 * 60 * secondMs;
const elapsed: Readonly<Record<string, number>> = { s: secondMs, m: 60 * secondMs, h: 60 * 60 * secondMs };
const days: Readonly<Record<string, number>> = { d: 1, w: 7 };
const months: Readonly<Record<string, number>> = { mo: 1, q: 3, y: 12 };

function resolveAnchor(anchor: string, clock: number): number {
  const today = Math.floor(clock / dayMs) * dayMs;
  if (anchor === 'today') return today;
  if (anchor === 'yesterday') return today - dayMs;
  if (anchor === 'tomorrow') return today + dayMs;
  const [period, edge] = anchor.split('-');
  const start = startOf(periods.find((each) => each === period) ?? 'year', today);
  return edge === 'start' ? start.day : start.next - dayMs;
}

/** The first day of a period, and of the next one. */
function startOf(period: Period, today: number): { readonly day: number; readonly next: number } {
  if (period === 'week') {
    const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
    const day = today - sinceMonday * dayMs;
    return { day, next: day + 7 * dayMs };
  }
  const length = { month: 1, quarter: 3, year: 12 }[period];
  const date = new Date(today);
  const month = date.getUTCMonth();
  const day = date.setUTCMonth(month - (month % length), 1);
  return { day, next: plusMonths(day, length) };
}

/** Days and longer units move the calendar, shorter ones elapsed time. */
function moveInstant(instant: number, amount: number, unit: string, zone: TimeZone): number {
  const ms = elapsed[unit];
  if (ms !== undefined) return instant + amount * ms;
  const clock = zone.clockAt(instant);
  const count = days[unit];
  const target = count === undefined ? plusMonths(clock, amount * (months[unit] ?? 0)) : clock + amount * count * dayMs;
  return isInRange(target) ? zone.instantOf(target) : Number.NaN;
}

/** A day that the month does not have becomes its last one. */
function plusMonths(clock: number, amount: number): number {
  const date = new Date(clock);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + amount, 1);
  const month = date.getUTCMonth();
  date.setUTCDate(day);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.getTime();
}

const [earliest, latest] = [Date.parse('0001-01-02T00:00:00Z'), Date.parse('9999-12-30T00:00:00Z')];
const isInRange = (ms: number): boolean => ms >= earliest && ms <= latest; // false for NaN

function formatInstant(instant: number, type: MomentType, zone: TimeZone): string {
  const text = new Date(type === 'datetimeoffset' ? instant : zone.clockAt(instant)).toISOString();
  if (type === 'date') return text.slice(0, 10);
  return withFraction(text.slice(0, 19), text.slice(20, 23)) + (type === 'datetimeoffset' ? 'Z' : '');
}
