import { expect, test } from 'vitest';
import { createRandom } from '../../test/support/faults/random.ts';
import { evaluate, type MomentType, parseRelativeMoment } from './relative-moment.ts';
import { timeZone } from './time-zone.ts';

const zoneOf = (name: string) => timeZone(name) ?? expect.unreachable(name);

function valueOf(text: string, type: MomentType, now: string | number, zone = 'UTC'): string {
  const expression = parseRelativeMoment(text);
  if (expression === null) throw new Error(`no relative moment: ${text}`);
  const cast = evaluate(expression, type, { now: typeof now === 'number' ? now : Date.parse(now), zone: zoneOf(zone) });
  return cast.ok ? cast.value : `refused: ${cast.message}`;
}

const sunday = '2026-11-15T10:20:30.120Z';

test.each([
  ['now', '2026-11-15', '2026-11-15T10:20:30.12'],
  ['today', '2026-11-15', '2026-11-15T00:00:00'],
  ['yesterday', '2026-11-14', '2026-11-14T00:00:00'],
  ['tomorrow', '2026-11-16', '2026-11-16T00:00:00'],
  ['week-start', '2026-11-09', '2026-11-09T00:00:00'],
  ['week-end', '2026-11-15', '2026-11-15T00:00:00'],
  ['month-start', '2026-11-01', '2026-11-01T00:00:00'],
  ['month-end', '2026-11-30', '2026-11-30T00:00:00'],
  ['quarter-start', '2026-10-01', '2026-10-01T00:00:00'],
  ['quarter-end', '2026-12-31', '2026-12-31T00:00:00'],
  ['year-start', '2026-01-01', '2026-01-01T00:00:00'],
  ['year-end', '2026-12-31', '2026-12-31T00:00:00'],
  ['today-7d', '2026-11-08', '2026-11-08T00:00:00'],
  ['month-start-1mo', '2026-10-01', '2026-10-01T00:00:00'],
  ['now-90m', '2026-11-15', '2026-11-15T08:50:30.12'],
  ['today-1s', '2026-11-14', '2026-11-14T23:59:59'],
  ['month-end+1q-2w', '2027-02-14', '2027-02-14T00:00:00'],
  ['TODAY + 1y - 1D', '2027-11-14', '2027-11-14T00:00:00'],
  ['today-0d+00001h', '2026-11-15', '2026-11-15T01:00:00'],
])('evaluates %s', (text, date, datetime) => {
  expect(valueOf(text, 'date', sunday)).toBe(date);
  expect(valueOf(text, 'datetime', sunday)).toBe(datetime);
  expect(valueOf(text, 'datetimeoffset', sunday)).toBe(`${datetime}Z`);
});

test.each([
  ['2024-02-29T12:00:00Z', 'today+1y', '2025-02-28'],
  ['2024-02-29T12:00:00Z', 'today-4y', '2020-02-29'],
  ['2025-03-31T12:00:00Z', 'today-1mo', '2025-02-28'],
  ['2025-03-31T12:00:00Z', 'today-1mo-1mo', '2025-01-28'], // each move is clamped
  ['2025-03-31T12:00:00Z', 'today-2mo', '2025-01-31'],
  ['2025-11-30T12:00:00Z', 'today+1q', '2026-02-28'],
  ['2023-12-31T12:00:00Z', 'month-end+2mo', '2024-02-29'],
])('at %s moves %s to %s', (now, text, date) => {
  expect(valueOf(text, 'date', now)).toBe(date);
});

test.each([
  // 2026-03-29 02:00 becomes 03:00 in Berlin, 2026-10-25 03:00 becomes 02:00
  ['Europe/Berlin', '2026-03-28T22:59:59Z', 'today', '2026-03-28T00:00:00', '2026-03-27T23:00:00Z'],
  ['Europe/Berlin', '2026-03-28T23:00:00Z', 'today', '2026-03-29T00:00:00', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', 'today+1d', '2026-03-30T00:00:00', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', 'today+24h', '2026-03-30T01:00:00', '2026-03-29T23:00:00Z'],
  ['Europe/Berlin', '2026-03-28T01:30:00Z', 'now+1d', '2026-03-29T03:30:00', '2026-03-29T01:30:00Z'], // 02:30 is skipped
  ['Europe/Berlin', '2026-10-24T00:30:00Z', 'now+1d', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'], // the first 02:30
  ['Europe/Berlin', '2026-10-25T12:00:00Z', 'today+25h', '2026-10-26T00:00:00', '2026-10-25T23:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 'today', '2018-11-04T01:00:00', '2018-11-04T03:00:00Z'], // there is no midnight
  ['America/Havana', '2026-11-01T12:00:00Z', 'today', '2026-11-01T00:00:00', '2026-11-01T04:00:00Z'], // midnight occurs twice
  ['Asia/Kathmandu', '2026-11-15T18:20:00Z', 'today', '2026-11-16T00:00:00', '2026-11-15T18:15:00Z'],
  ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', 'year-start', '2027-01-01T00:00:00', '2026-12-31T10:00:00Z'],
])('in %s at %s, %s is %s', (zone, now, text, clock, instant) => {
  expect(valueOf(text, 'datetime', now, zone)).toBe(clock);
  expect(valueOf(text, 'datetimeoffset', now, zone)).toBe(instant);
  expect(valueOf(text, 'date', now, zone)).toBe(clock.slice(0, 10));
});

test.each(['2026-01-31', '', 'todayish', 'week', 'monday', 'start-month', `today${'+1d'.repeat(40)}`])(
  'does not read %j as a relative moment',
  (text) => {
    expect(parseRelativeMoment(text)).toBeNull();
  },
);

test.each(['today-7', 'today-d', 'today7d', 'today--7d', 'today-1.5d', 'today-1M', 'now+1ms', 'today-7d,', 'now-9999999999s'])(
  'refuses %s',
  (text) => {
    expect(valueOf(text, 'date', sunday)).toMatch(/^refused: .* is not a valid relative moment\. /);
  },
);

test.each(['today+8000y', 'now-999999999d', 'today-999999999y', 'now+999999999h'])('refuses %s, out of range', (text) => {
  expect(valueOf(text, 'datetimeoffset', sunday, 'Asia/Tokyo')).toMatch(/0001 and 9999/);
});

const dayMs = 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');
const { below, pick, maybe } = createRandom(20);
/** Half of the instants are close to a change of the offset of their zone. */
function samples(count: number): { readonly zone: string; readonly now: number }[] {
  return Array.from({ length: count }, () => {
    const zone = pick(zones);
    const now = Date.UTC(1990, 0, 1) + below(50 * 365 * dayMs);
    return { zone, now: maybe(0.5) ? now : nearChange(zone, now) };
  });
}
function nearChange(zone: string, from: number): number {
  const { clockAt } = zoneOf(zone);
  for (let at = from; at < from + 300 * dayMs; at += dayMs)
    if (clockAt(at) - at !== clockAt(at + dayMs) - at - dayMs) return at + below(dayMs);
  return from;
}

test('agrees in any zone with the calendar that the platform shows', () => {
  for (const { zone, now } of samples(300)) {
    const context = `${zone} at ${new Date(now).toISOString()}`;
    const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    const [today = '', clock = ''] = shown.format(now).split(' ');
    expect(valueOf('today', 'date', now, zone), context).toBe(today);
    expect(valueOf('now', 'datetime', now, zone).slice(0, 19), context).toBe(`${today}T${clock}`);
    expect(Date.parse(valueOf('now', 'datetimeoffset', now, zone)), context).toBe(now);

    const noon = Date.parse(`${today}T12:00:00Z`);
    const days = below(800) - 400;
    const [day] = new Date(noon + days * dayMs).toISOString().split('T');
    if (zoneOf(zone).clockAt(zoneOf(zone).instantOf(Date.parse(`${day}T12:00:00Z`))) === Date.parse(`${day}T12:00:00Z`))
      expect(valueOf(`today${days < 0 ? '' : '+'}${days}d`, 'date', now, zone), context).toBe(day);
  }
});

test('has elapsed time that adds up and periods that contain today, in any zone', () => {
  for (const { zone, now } of samples(300)) {
    const context = `${zone} at ${new Date(now).toISOString()}`;
    const value = (text: string, type: MomentType = 'date') => valueOf(text, type, now, zone);
    const instant = (text: string) => Date.parse(value(text, 'datetimeoffset'));
    // the clock of an instant is the same moment
    for (const text of ['now', 'today', 'month-end', 'now-1d', 'today+36h', 'year-start-1q'])
      expect(zoneOf(zone).clockAt(instant(text)), `${text} in ${context}`).toBe(Date.parse(`${value(text, 'datetime')}Z`));
    // elapsed time adds up
    const hours = below(100);
    expect(instant(`now-${hours}h`), context).toBe(now - hours * 3_600_000);
    expect(instant(`today+${hours}h-${hours * 60}m`), context).toBe(instant('today'));
    // periods surround today
    for (const period of ['week', 'month', 'quarter', 'year']) {
      expect(value(`${period}-start`) <= value('today'), context).toBe(true);
      expect(value(`${period}-end`) >= value('today'), context).toBe(true);
      expect(instant(`${period}-start`), context).toBeLessThanOrEqual(now);
    }
    expect(new Date(value('week-start')).getUTCDay(), context).toBe(1);
    expect(value('month-start'), context).toMatch(/-01$/);
    expect(value('month-end'), context).toBe(value('month-start+1mo-1d'));
    expect(value('year-end'), context).toBe(value('year-start+1y-1d'));
    // months keep the day, or end on the last one of a shorter month
    const months = below(60);
    const target = value(`today+${months}mo`);
    expect(target <= value(`month-start+${months + 1}mo-1d`) && target >= value(`month-start+${months}mo`), context).toBe(true);
  }
});
