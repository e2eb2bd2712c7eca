import { expect, it } from 'vitest';
import type { KeyLimits } from '../../access/api-key.ts';
import type { Authentication, Principal } from '../../access/principal.ts';
import { createKeyRate, createKeySlots } from './key-limits.ts';

it('admits the calls of a second, then requires a wait, and refills', () => {
  const rate = createKeyRate();
  for (let call = 0; call < 5; call++) expect(rate('k1', 5, 1000)).toBe(0);
  expect(rate('k1', 5, 1000)).toBe(1);
  expect(rate('k1', 5, 1199)).toBe(1);
  expect(rate('k1', 5, 1200)).toBe(0);
  expect(rate('k1', 5, 1201)).toBe(1);
});

it('saves at most the calls of one second, however long a key was idle', () => {
  const rate = createKeyRate();
  rate('k1', 2, 0);
  expect([1, 2, 3].map(() => rate('k1', 2, 3_600_000))).toEqual([0, 0, 1]);
});

it('counts each key separately, and none without a limit', () => {
  const rate = createKeyRate();
  expect(rate('k1', 1, 0)).toBe(0);
  expect(rate('k2', 1, 0)).toBe(0);
  expect(rate('k1', 1, 0)).toBe(1);
  for (let call = 0; call < 100; call++) expect(rate('k1', 0, 0)).toBe(0);
});

it('applies a changed rate immediately', () => {
  const rate = createKeyRate();
  for (let call = 0; call < 100; call++) rate('k1', 100, 0);
  expect(rate('k1', 100, 0)).toBe(1);
  expect(rate('k1', 2, 500)).toBe(0);
  expect(rate('k1', 2, 500)).toBe(1);
});

it('does not lock a key out when the clock is set back', () => {
  const rate = createKeyRate();
  expect(rate('k1', 1, 10_000_000)).toBe(0);
  expect(rate('k1', 1, 0)).toBe(1);
  expect(rate('k1', 1, 1000)).toBe(0);
});

it('forgets the keys that were idle longest when there are too many', () => {
  const rate = createKeyRate();
  rate('idle', 1, 0);
  rate('busy', 1, 0);
  for (let key = 0; key < 9_998; key++) rate(`k${key}`, 1, 0);
  rate('busy', 1, 0);
  rate('one more', 1, 0);
  expect(rate('busy', 1, 0)).toBe(1);
  expect(rate('idle', 1, 0)).toBe(0);
});

const by = (authentication: Authentication): Principal => ({
  userId: 'u',
  userKind: 'person',
  username: 'u',
  fullName: '',
  email: '',
  roleIds: [],
  roleNames: [],
  permissions: [],
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
