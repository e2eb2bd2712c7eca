import type { AuditEntry } from '../audit/audit-entry.ts';

export interface LastDay {
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly hours: readonly Hour[]; // 24, the current one last
  readonly slowest: readonly SlowQuery[];
}

export interface Hour {
  readonly calls: number;
  readonly errors: number;
}

export interface SlowQuery {
  readonly queryName: string;
  readonly calls: number;
  readonly medianMs: number;
  readonly slowestMs: number;
}

type Entry = Pick<AuditEntry, 'at' | 'action' | 'channel' | 'outcome' | 'query' | 'durationMs' | 'cached'>;

const HOUR_MS = 3_600_000;
const HOURS = 24;
export const DAY_MS = HOURS * HOUR_MS;
const MAX_SHOWN = 5;

/** Summarizes the query calls of the last 24 hours, without management calls and sign-ins. */
export function summarizeLastDay(entries: readonly Entry[], now: number): LastDay {
  const calls = entries.filter(({ channel, action }) => channel !== 'management' && !action.startsWith('session.'));
  return {
    calls: calls.length,
    failed: calls.filter(({ outcome }) => outcome === 'failed').length,
    refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    hours: hoursOf(calls, now),
    slowest: findSlowest(calls),
  };
}

function hoursOf(calls: readonly Entry[], now: number): readonly Hour[] {
  const hours = Array.from({ length: HOURS }, () => ({ calls: 0, errors: 0 }));
  for (const { at, outcome } of calls) {
    const hour = hours[HOURS - 1 - Math.max(0, Math.floor((now - at) / HOUR_MS))];
    if (hour === undefined) continue;
    hour.calls++;
    if (outcome === 'failed' || outcome === 'refused') hour.errors++;
  }
  return hours;
}

/** The queries with the slowest calls, without shared results. */
function findSlowest(calls: readonly Entry[]): readonly SlowQuery[] {
  const ran = calls.filter(({ query, cached, outcome }) => query !== null && !cached && outcome !== 'refused');
  return [...Map.groupBy(ran, ({ query }) => query ?? '')]
    .map(([queryName, ofQuery]) => {
      const durations = ofQuery.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      return {
        queryName,
        calls: durations.length,
        medianMs: durations[Math.floor((durations.length - 1) / 2)] ?? 0,
        slowestMs: durations.at(-1) ?? 0,
      };
    })
    .toSorted((a, b) => b.slowestMs - a.slowestMs)
    .slice(0, MAX_SHOWN);
}
