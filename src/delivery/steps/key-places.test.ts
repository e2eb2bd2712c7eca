import { expect, it } from 'vitest';
import type { KeyLimits } from '../../access/key-limits.ts';
import type { Means, Principal } from '../../access/principal.ts';
import { createKeyPlaces } from './key-places.ts';

const by = (means: Means): Principal => ({
  userId: 'u',
  username: 'u',
  fullName: '',
  email: '',
  roleIds: [],
  roleNames: [],
  permissions: new Set(),
  databaseScope: '*',
  expiresAt: null,
  means,
});
const key = (keyId: string, limits: KeyLimits | null = null) =>
  by({ kind: 'key', keyId, keyName: keyId, expiresAt: null, queries: null, limits });

it('gives each key as many places as every key has, and takes them back once', () => {
  const places = createKeyPlaces(() => ({ keyConcurrent: 2 }));
  const first = places.enter(key('k'));
  expect(first.ok).toBe(true);
  expect(places.enter(key('k')).ok).toBe(true);
  expect(places.enter(key('k'))).toEqual({ ok: false, failure: { kind: 'KeyBusy', most: 2, retryAfterSeconds: 1 } });
  expect(places.enter(key('other')).ok).toBe(true);
  if (first.ok) for (let time = 0; time < 3; time++) first.value();
  expect(places.enter(key('k')).ok).toBe(true);
  expect(places.enter(key('k')).ok).toBe(false);
});

it('bounds nobody without a key, and a key by its own limit where it is narrower', () => {
  let keyConcurrent = 0;
  const places = createKeyPlaces(() => ({ keyConcurrent }));
  for (let time = 0; time < 5; time++) expect(places.enter(key('free')).ok).toBe(true);
  expect([1, 2].map(() => places.enter(key('own', { concurrent: 1 })).ok)).toEqual([true, false]);
  keyConcurrent = 1;
  for (let time = 0; time < 5; time++) expect(places.enter(by({ kind: 'basic' })).ok).toBe(true);
  expect([1, 2].map(() => places.enter(key('wide', { concurrent: 9 })).ok)).toEqual([true, false]);
});
