import { expect, it } from 'vitest';
import type { KeyLimits } from '../../access/key-limits.ts';
import type { Authentication, Principal } from '../../access/principal.ts';
import { createKeySlots } from './key-slots.ts';

const by = (authentication: Authentication): Principal => ({
  userId: 'u',
  username: 'u',
  fullName: '',
  email: '',
  roleIds: [],
  roleNames: [],
  permissions: new Set(),
  databaseScope: '*',
  attributes: {},
  expiresAt: null,
  authentication,
});
const key = (keyId: string, limits: KeyLimits | null = null) =>
  by({ kind: 'key', keyId, keyName: keyId, expiresAt: null, queries: null, limits });

it('bounds each key by the general limit, and ignores a repeated release', async () => {
  const slots = createKeySlots(() => ({ keyConcurrent: 2 }));
  const first = await slots.acquire(key('k'));
  expect(first.ok).toBe(true);
  expect((await slots.acquire(key('k'))).ok).toBe(true);
  expect(await slots.acquire(key('k'))).toEqual({ ok: false, failure: { kind: 'KeyBusy', most: 2, retryAfterSeconds: 1 } });
  expect((await slots.acquire(key('other'))).ok).toBe(true);
  if (first.ok) for (let time = 0; time < 3; time++) first.value[Symbol.dispose]();
  expect((await slots.acquire(key('k'))).ok).toBe(true);
  expect((await slots.acquire(key('k'))).ok).toBe(false);
});

it('does not bound callers without a key, and bounds a key by its own limit if that is lower', async () => {
  let keyConcurrent = 0;
  const slots = createKeySlots(() => ({ keyConcurrent }));
  for (let time = 0; time < 5; time++) expect((await slots.acquire(key('free'))).ok).toBe(true);
  expect([
    (await slots.acquire(key('own', { concurrent: 1 }))).ok,
    (await slots.acquire(key('own', { concurrent: 1 }))).ok,
  ]).toEqual([true, false]);
  keyConcurrent = 1;
  for (let time = 0; time < 5; time++) expect((await slots.acquire(by({ kind: 'basic' }))).ok).toBe(true);
  expect([
    (await slots.acquire(key('wide', { concurrent: 9 }))).ok,
    (await slots.acquire(key('wide', { concurrent: 9 }))).ok,
  ]).toEqual([true, false]);
});
