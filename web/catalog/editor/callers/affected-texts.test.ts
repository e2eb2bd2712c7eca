import { expect, test } from 'vitest';
import type { QueryCaller, QueryDependant } from '../../../app/api-types.ts';
import { callersOf, callersText, groupDependants } from './affected-texts.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const caller = (user: string, more: Partial<QueryCaller> = {}): QueryCaller => ({
  ...{ user, kind: 'person', apiKey: null, channel: 'rest', version: 1, calls: 1, lastAt: '2026-11-18T12:00:00Z' },
  ...more,
});
const text = (callers: readonly QueryCaller[], callersSince = '2026-08-20T12:00:00Z', moreCallers = 0) =>
  callersText({ callers, moreCallers, callersSince }, now);

test('counts each account once, and each of its keys and applications', () => {
  const callers = [caller('ann'), caller('ann', { channel: 'export' }), caller('ann', { apiKey: 'nightly' }), caller('bob')];
  expect(text(callers)).toBe('3 callers received rows of this query in the last 90 days.');
  expect(text([caller('ann')])).toBe('1 caller received rows of this query in the last 90 days.');
  expect(text([])).toBe('Nobody received rows of this query in the last 90 days.');
  expect(text(callers, undefined, 5)).toBe('More than 3 callers received rows of this query in the last 90 days.');
});

test('says since when calls were counted if that is less than asked for', () => {
  expect(text([caller('ann')], '2026-11-01T12:00:00Z')).toBe('1 caller received rows of this query since Nov 1, 2026.');
});

test('groups what stands on a query by kind, with names and owners', () => {
  const dependant = (kind: QueryDependant['kind'], name: string, version: number | null = null): QueryDependant => ({
    ...{ kind, id: name, name, owner: 'ann', version },
  });
  const found = [dependant('choices', 'QD_Orders'), dependant('embed', 'Sales'), dependant('embed', '', 3)];
  expect(groupDependants(found)).toEqual([
    { title: '2 embeds draw it', names: ['Sales (ann)', 'Untitled (ann), stays with version 3'] },
    { title: '1 query takes choices from it', names: ['QD_Orders (ann)'] },
  ]);
});

test('counts for a replaced version only who has called it since', () => {
  const [before, after] = ['2026-11-01T00:00:00.000Z', '2026-11-03T00:00:00.000Z'];
  const callers = [caller('ann', { lastAt: before }), caller('bob', { lastAt: after }), caller('eve', { version: 2 })];
  expect(callersOf(callers, 1, '2026-11-02T00:00:00.000Z').map(({ user }) => user)).toEqual(['bob']);
  expect(callersOf(callers, 1, null).map(({ user }) => user)).toEqual(['ann', 'bob']);
});
