import { expect, test } from 'vitest';
import { summarizeLastDay } from './home.ts';

const now = Date.parse('2026-11-15T10:00:00Z');
const entry = (
  more: Partial<Parameters<typeof summarizeLastDay>[0][number]> = {},
): Parameters<typeof summarizeLastDay>[0][number] => ({
  at: Date.parse('2026-11-15T09:59:00Z'),
  action: 'query.execute',
  channel: 'rest',
  outcome: 'ok',
  query: 'QD_Sales_Demo',
  durationMs: 10,
  cached: false,
  ...more,
});

test('counts calls by outcome', () => {
  const { calls, failed, refused } = summarizeLastDay(
    [entry(), entry({ outcome: 'failed' }), entry({ outcome: 'refused', query: null }), entry({ outcome: 'cancelled' })],
    now,
  );
  expect({ calls, failed, refused }).toEqual({ calls: 4, failed: 1, refused: 1 });
});

test('groups calls by hour, with the current hour last', () => {
  const { hours } = summarizeLastDay([entry(), entry({ at: Date.parse('2026-11-14T10:30:00Z'), outcome: 'failed' })], now);
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toEqual({ calls: 1, errors: 0 });
  expect(hours[0]).toEqual({ calls: 1, errors: 1 });
});

test('counts a call with a future time as current', () => {
  expect(summarizeLastDay([entry({ at: Date.parse('2026-11-15T10:00:05Z') })], now).hours.at(-1)?.calls).toBe(1);
});

test('sorts queries by their slowest call, with the median, and ignores shared results', () => {
  const { slowest } = summarizeLastDay(
    [
      entry({ durationMs: 10 }),
      entry({ durationMs: 30 }),
      entry({ durationMs: 20 }),
      entry({ durationMs: 0, cached: true }),
      entry({ query: 'QD_Slow_Demo', durationMs: 900 }),
      entry({ query: 'QD_Denied_Demo', durationMs: 1000, outcome: 'refused' }),
    ],
    now,
  );
  expect(slowest).toEqual([
    { queryName: 'QD_Slow_Demo', calls: 1, medianMs: 900, slowestMs: 900 },
    { queryName: 'QD_Sales_Demo', calls: 3, medianMs: 20, slowestMs: 30 },
  ]);
});
