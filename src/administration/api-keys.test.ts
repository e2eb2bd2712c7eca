import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createNote,
  expectSuccess,
  failureOf,
  fieldsOf,
  NOW,
  openPeople,
  type People,
} from '../../test/support/people/people.ts';
import { hashApiKey } from '../access/api-key.ts';
import { dayOf } from '../access/api-key.ts';
import type { Principal } from '../access/principal.ts';
import { type Config, readConfig } from '../config/config.ts';
import { type ApiKeys, createApiKeys, type NewApiKeyFields } from './api-keys.ts';

let people: People;
let apiKeys: ApiKeys;
let bob: Principal;
let now = NOW;
let settings: Config;
const opened: People[] = [];
const DAY = 86_400_000;
const all = { limit: 100 };

beforeEach(async () => {
  now = NOW;
  settings = readConfig({});
  people = await openPeople();
  opened.push(people);
  apiKeys = createApiKeys({ store: people.store, now: () => now, settings: () => settings });
  await people.add('bob', ['Query User'], { databaseScope: ['sales'] });
  bob = await people.as('bob');
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const create = async (more: Partial<NewApiKeyFields> = {}) => apiKeys.create(bob, { name: 'mine', ...more }, createNote());

describe('a new key', () => {
  it('is shown once, is stored as a hash and expires after 90 days', async () => {
    const note = createNote();
    const { key, ...view } = expectSuccess(await apiKeys.create(bob, { name: 'mine' }, note));
    expect(view).toEqual({
      id: key.slice(4, 12),
      name: 'mine',
      prefix: key.slice(0, 12),
      createdAt: '2026-11-15T10:00:00.000Z',
      lastUsedAt: null,
      expiresAt: '2027-02-13T10:00:00.000Z',
      state: 'active',
      queries: null,
      tools: 'generic',
      limits: { callsPerSecond: null, rowsPerDay: null, concurrent: null },
      rowsToday: 0,
    });
    expect(expectSuccess(await apiKeys.list(bob, all))).toEqual({ items: [view], nextCursor: null });
    expect((await people.store.principals.byKeyHash(hashApiKey(key) ?? ''))?.user.id).toBe(bob.userId);
    expect(JSON.stringify(note)).not.toContain(key);
  });

  it('expires after the requested number of days, but not later than its user', async () => {
    expect(expectSuccess(await create({ expiresInDays: 30 })).expiresAt).toBe('2026-12-15T10:00:00.000Z');
    expect(expectSuccess(await create({ expiresInDays: null })).expiresAt).toBeNull();
    bob = { ...bob, expiresAt: NOW + DAY };
    expect(expectSuccess(await create({ expiresInDays: null })).expiresAt).toBe('2026-11-16T10:00:00.000Z');
    expect(expectSuccess(await create()).expiresAt).toBe('2026-11-16T10:00:00.000Z');
  });

  it.each([0, -1, 1.5, 3651, Number.NaN])('rejects a lifetime of %d days', async (expiresInDays) => {
    expect(fieldsOf(await create({ expiresInDays }))).toEqual(['expiresInDays']);
  });

  it('can be restricted only to queries that its user may run', async () => {
    const auditors = (await people.store.roles.listAll()).find((role) => role.name === 'Auditor')?.id ?? '';
    await people.addQuery('QD_Mine_Sales');
    await people.addQuery('QD_Draft_Sales', { status: 'Draft' });
    await people.addQuery('QD_Other_Stock', { databaseId: 'stock' });
    await people.addQuery('QD_Secret_Sales', { roleIds: [auditors] });
    const queries = ['QD_Mine_Sales', 'QD_Draft_Sales', 'QD_Other_Stock', 'QD_Secret_Sales', 'QD_Unknown', 'N\0L'];
    const refused = ['queries.1', 'queries.2', 'queries.3', 'queries.4', 'queries.5'];
    expect(fieldsOf(await create({ queries }))).toEqual(refused);
    expect(fieldsOf(await create({ queries: [] }))).toEqual(['queries']);
    expect(expectSuccess(await create({ queries: ['QD_Mine_Sales', 'QD_Mine_Sales'] })).queries).toEqual(['QD_Mine_Sales']);
  });

  it('can offer a tool per query if it is restricted to 1 to 40 queries', async () => {
    const names = Array.from({ length: 41 }, (_, index) => `QD_Q${index}_Sales`);
    for (const name of names) await people.addQuery(name);
    expect(fieldsOf(await create({ tools: 'typed' }))).toEqual(['tools']);
    expect(fieldsOf(await create({ tools: 'typed', queries: names }))).toEqual(['tools']);
    const { id, tools } = expectSuccess(await create({ tools: 'typed', queries: names.slice(1) }));
    expect([tools, (await people.store.apiKeys.get(id))?.tools]).toEqual(['typed', 'typed']);
  });

  it('has its own limits, or the general limits where they are lower', async () => {
    const note = createNote();
    const limits = { callsPerSecond: 5, rowsPerDay: 1000, concurrent: null };
    const { id, ...made } = expectSuccess(await apiKeys.create(bob, { name: 'mine', limits }, note));
    expect(made.limits).toEqual(limits);
    expect(note.parameters).toMatchObject({ limits: { callsPerSecond: 5, rowsPerDay: 1000 } });
    expect((await people.store.apiKeys.get(id))?.limits).toEqual({ callsPerSecond: 5, rowsPerDay: 1000 });

    settings = readConfig({ SLUICE_RATE_PER_KEY: '9', SLUICE_KEY_ROWS_PER_DAY: '10', SLUICE_KEY_CONCURRENT: '2' });
    await people.store.apiKeys.addRows(dayOf(now), [{ id, rows: 7 }]);
    const [shown] = expectSuccess(await apiKeys.list(bob, all)).items;
    expect(shown).toMatchObject({ limits: { callsPerSecond: 5, rowsPerDay: 10, concurrent: 2 }, rowsToday: 7 });
    now = NOW + DAY;
    expect(expectSuccess(await apiKeys.list(bob, all)).items[0]?.rowsToday).toBe(0);
  });

  it('cannot have higher limits than the general ones', async () => {
    settings = readConfig({ SLUICE_RATE_PER_KEY: '9', SLUICE_KEY_CONCURRENT: '2' });
    const refused = await create({ limits: { callsPerSecond: 10, rowsPerDay: 1_000_000, concurrent: 3 } });
    expect(fieldsOf(refused)).toEqual(['limits.callsPerSecond', 'limits.concurrent']);
    expect(expectSuccess(await create({ limits: { callsPerSecond: 9, concurrent: 2 } })).limits.rowsPerDay).toBeNull();
  });

  it.each([0, -1, 1.5, 1e15, Number.NaN])('rejects a limit of %d', async (limit) => {
    const limits = { callsPerSecond: limit, rowsPerDay: limit, concurrent: limit };
    expect(fieldsOf(await create({ limits }))).toEqual(['limits.callsPerSecond', 'limits.rowsPerDay', 'limits.concurrent']);
  });

  it('requires a name', async () => {
    expect(fieldsOf(await create({ name: '' }))).toEqual(['name']);
    expect(fieldsOf(await create({ name: 'x'.repeat(101) }))).toEqual(['name']);
    const wrong = { name: '', expiresInDays: 0, queries: ['QD_None'], limits: { concurrent: 0 } };
    expect(fieldsOf(await create(wrong))).toEqual(['name', 'expiresInDays', 'queries.0', 'limits.concurrent']);
  });
});

describe('the limit of five keys', () => {
  it('holds when twenty keys are requested concurrently', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(5);
    expect(failureOf(await create()).kind).toBe('LimitReached');
  });

  it('does not count revoked and expired keys, which stay listed', async () => {
    for (const expiresInDays of [1, 30, 30, 30, 30]) expectSuccess(await create({ expiresInDays }));
    expect(failureOf(await create()).kind).toBe('LimitReached');
    now = NOW + DAY;
    const sixth = expectSuccess(await create());
    expect(failureOf(await create()).kind).toBe('LimitReached');
    expectSuccess(await apiKeys.revoke(bob, sixth.id, createNote()));
    expectSuccess(await create());
    const states = expectSuccess(await apiKeys.list(bob, all)).items.map((key) => key.state);
    expect(states.toSorted()).toEqual(['active', 'active', 'active', 'active', 'active', 'expired', 'revoked']);
  });
});

it('renames a key of its user, and records both names', async () => {
  const key = expectSuccess(await create());
  const note = createNote();
  expect(expectSuccess(await apiKeys.rename(bob, key.id, 'Weekly report', note))).toMatchObject({
    id: key.id,
    name: 'Weekly report',
  });
  expect(note.parameters).toEqual({
    key: 'mine',
    prefix: key.prefix,
    changed: { name: { from: 'mine', to: 'Weekly report' } },
  });
  expect(expectSuccess(await apiKeys.rename(bob, key.id, undefined, createNote())).name).toBe('Weekly report');
  expect(fieldsOf(await apiKeys.rename(bob, key.id, ' ', createNote()))).toEqual(['name']);
  expect(failureOf(await apiKeys.rename(await people.as('admin'), key.id, 'Theirs', createNote())).kind).toBe('NotFound');
  expect(expectSuccess(await apiKeys.list(bob, all)).items.map(({ name }) => name)).toEqual(['Weekly report']);
});

describe('revoking', () => {
  it('ends the key, is idempotent, and does not affect keys of other users', async () => {
    const key = expectSuccess(await create());
    const admin = await people.as('admin');
    expect(failureOf(await apiKeys.revoke(admin, key.id, createNote())).kind).toBe('NotFound');
    expect(failureOf(await apiKeys.revoke(bob, 'unknown', createNote())).kind).toBe('NotFound');
    const note = createNote();
    expectSuccess(await apiKeys.revoke(bob, key.id, note));
    expect(note.parameters).toEqual({ key: 'mine', prefix: key.prefix });
    expect(expectSuccess(await apiKeys.list(bob, all)).items[0]?.state).toBe('revoked');
    expectSuccess(await apiKeys.revoke(bob, key.id, createNote()));
  });

  it('is allowed to user managers for users with no more rights than their own', async () => {
    const key = expectSuccess(await create());
    const other = expectSuccess(await create({ name: 'other' }));
    const admin = await people.as('admin');
    expect(expectSuccess(await apiKeys.listFor(admin, bob.userId, all)).items).toHaveLength(2);
    expect(failureOf(await apiKeys.revokeFor(admin, admin.userId, key.id, createNote())).kind).toBe('NotFound');
    expectSuccess(await apiKeys.revokeFor(admin, bob.userId, key.id, createNote()));
    const note = createNote();
    expectSuccess(await apiKeys.revokeAllFor(admin, bob.userId, note));
    expect(note.parameters).toEqual({ user: 'bob', keys: [other.name] });
    expect(expectSuccess(await apiKeys.list(bob, all)).items.map((each) => each.state)).toEqual(['revoked', 'revoked']);

    await people.add('sec', ['Security Administrator']);
    const sec = await people.as('sec');
    expect(failureOf(await apiKeys.listFor(sec, bob.userId, all)).kind).toBe('PermissionDenied');
    expect(failureOf(await apiKeys.revokeFor(sec, bob.userId, key.id, createNote())).kind).toBe('PermissionDenied');
    expect(failureOf(await apiKeys.revokeAllFor(sec, bob.userId, createNote())).kind).toBe('PermissionDenied');
    expect(failureOf(await apiKeys.listFor(sec, 'unknown', all)).kind).toBe('NotFound');
  });
});

it('lists in pages, newest first, and finds by name', async () => {
  for (const name of ['one', 'two', 'three']) {
    now += 1000;
    expectSuccess(await create({ name }));
  }
  const first = expectSuccess(await apiKeys.list(bob, { limit: 2 }));
  expect(first.items.map((key) => key.name)).toEqual(['three', 'two']);
  const second = expectSuccess(await apiKeys.list(bob, { limit: 2, cursor: first.nextCursor ?? '' }));
  expect(second).toMatchObject({ items: [{ name: 'one' }], nextCursor: null });
  expect(expectSuccess(await apiKeys.list(bob, { limit: 2, search: 'T' })).items.map((key) => key.name)).toEqual([
    'three',
    'two',
  ]);
});
