import { expect, test } from 'vitest';
import { evaluate, parseRelativeMoment } from '../relative-moment.ts';
import { UTC } from '../time-zone.ts';
import { castMoment } from './cast-moment.ts';

const messageOf = (text: string): string => {
  const cast = castMoment(text, 'date');
  return cast.ok ? cast.value : cast.message;
};
const clock = { now: Date.parse('2026-11-17T10:00:00Z'), zone: UTC };

test.each([
  ['last month', 'month-start-1mo', 'month-start-1d'],
  ['Last Week', 'week-start-1w', 'week-start-1d'],
  ['this quarter', 'quarter-start', 'quarter-end'],
  ['next year', 'year-start+1y', 'year-start+2y-1d'],
  ['7 days ago', 'today-7d'],
  ['an hour ago', 'now-1h'],
  ['in 3 months', 'today+3mo'],
  ['the last 30 days', 'today-30d'],
  ['start of month', 'month-start'],
  ['first day of last month', 'month-start-1mo'],
  ['end of the previous quarter', 'quarter-start-1d'],
  ['month start', 'month-start'],
  ['year to date', 'year-start', 'today'],
  ['last day', 'yesterday'],
])('names what %j means', (text, ...meant) => {
  const message = messageOf(text);
  for (const expression of meant) {
    expect(message).toMatch(new RegExp(`Write .*(?<![\\w-])${expression.replace('+', '\\+')}(?![\\w+-])`));
    expect(parseRelativeMoment(expression)).toBe(expression);
    expect(evaluate(expression, 'date', clock).ok).toBe(true);
  }
  expect(message).toContain('Accepted are now, today, yesterday');
});

test.each(['soon', 'lst month', 'heute', 'x'.repeat(5000)])('names the accepted expressions for other words', (text) => {
  expect(messageOf(text)).toMatch(/is not a valid date\. Write 2026-01-31\. Accepted are now, today, .*today-7d\.$/);
});

test('leaves the message of a wrong date short', () => {
  expect(messageOf('2026-13-01')).toBe('"2026-13-01" is not a valid date. Write 2026-01-31.');
});

test.each([
  ['now - 7 days', 'now-7d'],
  ['today+1month', 'today+1mo'],
  ['Month-Start - 2 Quarters + 1day', 'month-start-2q+1d'],
])('names the short units of %j', (text, meant) => {
  const cast = evaluate(parseRelativeMoment(text) ?? '', 'date', clock);
  expect(cast.ok ? cast.value : cast.message).toContain(` Write ${meant}. `);
});
