import { expect, test } from 'vitest';
import { findStale } from './use-background-tests.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const database = (id: string, minutesAgo: number | null, disabled = false) => ({
  ...{ id, name: id, kind: 'duckdb', description: '', version: 1, disabled },
  lastTest: minutesAgo === null ? null : { at: new Date(now - minutesAgo * 60_000).toISOString(), ok: true },
});

test('chooses the enabled database whose test is the oldest, and none that was tested a moment ago', () => {
  const databases = [database('new', 5), database('old', 11), database('older', 90), database('off', 500, true)];
  expect(findStale(databases, new Set(), now)).toBe('older');
  expect(findStale([...databases, database('never', null)], new Set(), now)).toBe('never');
  expect(findStale(databases, new Set(['older']), now)).toBe('old');
  expect(findStale(databases, new Set(['older', 'old']), now)).toBeNull();
});

test('ends after 20 tests', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => database(`d${index}`, null));
  const tested = new Set(hundred.slice(0, 19).map(({ id }) => id));
  expect(findStale(hundred, tested, now)).toBe('d19');
  expect(findStale(hundred, tested.add('d19'), now)).toBeNull();
});
