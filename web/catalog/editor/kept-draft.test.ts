import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetAllDrafts, forgetDraft, keepDraft, readKeptDraft } from './kept-draft.ts';
import { createDraft } from './query-draft.ts';

const mine = { userId: 'ann', query: 'q1' };
const kept = { version: 3, draft: { ...createDraft('Sales'), sql: 'select 1' } };

beforeEach(() => {
  const storage: Record<string, string> = {};
  const method = (value: unknown) => ({ value, enumerable: false });
  Object.defineProperties(storage, {
    getItem: method((key: string) => storage[key] ?? null),
    setItem: method((key: string, text: string) => (storage[key] = text)),
    removeItem: method((key: string) => delete storage[key]),
  });
  vi.stubGlobal('localStorage', storage);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('keeps a draft for its user and query until it is forgotten', () => {
  expect(keepDraft(mine, kept)).toBe(true);
  expect(readKeptDraft(mine)).toMatchObject(kept);
  expect(readKeptDraft({ ...mine, userId: 'bob' })).toBeNull();
  expect(readKeptDraft({ ...mine, query: 'new' })).toBeNull();
  forgetDraft(mine);
  expect(readKeptDraft(mine)).toBeNull();
});

test('forgets a draft after seven days', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  keepDraft(mine, kept);
  vi.setSystemTime(Date.now() + 6 * 86_400_000);
  expect(readKeptDraft(mine)).not.toBeNull();
  vi.setSystemTime(Date.now() + 2 * 86_400_000);
  readKeptDraft({ userId: 'bob', query: 'new' });
  expect(Object.keys(localStorage)).toEqual([]);
});

test('forgets the drafts of everyone and nothing else', () => {
  localStorage.setItem('another', 'x');
  keepDraft(mine, kept);
  keepDraft({ userId: 'bob', query: 'new' }, kept);
  forgetAllDrafts();
  expect(Object.keys(localStorage)).toEqual(['another']);
});

test('reports that it keeps nothing if the browser blocks its storage', () => {
  vi.stubGlobal('localStorage', undefined);
  expect(keepDraft(mine, kept)).toBe(false);
  expect(readKeptDraft(mine)).toBeNull();
  forgetAllDrafts();
});
