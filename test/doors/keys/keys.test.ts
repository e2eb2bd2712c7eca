import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { type ApiKey, createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const DAY = 86_400_000;
let service: TestService;
let one: string;
beforeAll(async () => {
  service = await startTestService();
  one = (await publish(service.as(admin), { name: 'One', sql: 'select 1 as one' })).queryName;
});
afterAll(() => service.close());

const keysOf = async (caller: Caller) =>
  (await expectStatus(caller.call<List<ApiKey>>('GET', '/api/v1/account/api-keys'), 200)).json.items;
const create = (caller: Caller, body: unknown) => caller.call<ApiKey>('POST', '/api/v1/account/api-keys', body);
const daysLeft = ({ createdAt, expiresAt }: ApiKey) => (Date.parse(expiresAt ?? '') - Date.parse(createdAt)) / DAY;

test('a new key is shown once, lasts 90 days, and is listed without its value', async () => {
  const { caller } = await createUser(service, 'first');
  const response = await create(caller, { name: 'Nightly job' });
  expect(response.status).toBe(201);
  const { key, ...listed } = response.json;
  expect(key).toMatch(/^slc_[a-z0-9]{8}_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
  expect(listed).toEqual({
    id: expect.any(String),
    name: 'Nightly job',
    prefix: key.slice(0, 12),
    createdAt: expect.stringMatching(/Z$/),
    lastUsedAt: null,
    expiresAt: expect.stringMatching(/Z$/),
    state: 'active',
    queries: null,
    tools: 'generic',
    limits: { callsPerSecond: null, rowsPerDay: null, concurrent: null },
    rowsToday: 0,
  });
  expect(daysLeft(response.json)).toBe(90);
  expect(await keysOf(caller)).toEqual([listed]);
  expect((await service.as({ key }).call('GET', '/api/v1/account')).json.username).toBe('first');
});

test('accepts a lifetime of 1 to 3650 days or none', async () => {
  const { caller } = await createUser(service, 'lifetimes');
  expect(daysLeft((await create(caller, { name: 'short', expiresInDays: 1 })).json)).toBe(1);
  expect(daysLeft((await create(caller, { name: 'long', expiresInDays: 3650 })).json)).toBe(3650);
  expect((await create(caller, { name: 'for ever', expiresInDays: null })).json.expiresAt).toBeNull();
  for (const expiresInDays of [0, -1, 1.5, 3651, '90', 1e99]) {
    const refused = await create(caller, { name: 'bad', expiresInDays });
    expect([expiresInDays, refused.status, fieldsOf(refused)]).toEqual([expiresInDays, 400, ['expiresInDays']]);
  }
  for (const body of [{}, { name: '' }, { name: 'x'.repeat(101) }, { name: 7 }]) {
    const refused = await create(caller, body);
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['name']]);
  }
  expect(await keysOf(caller)).toHaveLength(3);
});

test('allows five active keys; a revoked key frees its slot and stays listed', async () => {
  const { caller } = await createUser(service, 'five');
  const keys: ApiKey[] = [];
  for (let i = 0; i < 5; i++) keys.push(await createKey(caller, { name: `key ${i}` }));
  const sixth = await create(caller, { name: 'sixth' });
  expect([sixth.status, problemOf(sixth).code]).toEqual([409, 'limit_reached']);
  expect(sixth.text).not.toContain('slc_');
  const revoked = await caller.call('DELETE', `/api/v1/account/api-keys/${keys[2]?.id}`);
  expect([revoked.status, revoked.text]).toEqual([204, '']);
  expect((await create(caller, { name: 'sixth' })).status).toBe(201);
  expect((await create(caller, { name: 'seventh' })).status).toBe(409);
  const states = (await keysOf(caller)).map(({ name, state }) => `${name} ${state}`);
  expect(states.toSorted()).toEqual([
    'key 0 active',
    'key 1 active',
    'key 2 revoked',
    'key 3 active',
    'key 4 active',
    'sixth active',
  ]);
  expect((await create(service.as(admin), { name: 'of someone else' })).status, 'each user has five').toBe(201);
});

test('revocation takes effect with its response, and other keys keep working', async () => {
  const { caller } = await createUser(service, 'revoker', { roles: ['Query User'], databases: ['Demo'] });
  for (let round = 0; round < 5; round++) {
    const [doomed, other] = [await createKey(caller, { name: 'doomed' }), await createKey(caller, { name: 'other' })];
    let revokedAt = Number.POSITIVE_INFINITY;
    const late: number[] = [];
    const early: number[] = [];
    let stopped = false;
    const hammer = async (): Promise<void> => {
      while (!stopped) {
        const startedAt = performance.now();
        const { status } = await service.as({ key: doomed.key }).run(one);
        (startedAt > revokedAt ? late : early).push(status);
      }
    };
    const hammers = Array.from({ length: 6 }, hammer);
    await waitUntil(
      async () => early.length,
      (count) => count > 6,
    );
    await expectStatus(caller.call('DELETE', `/api/v1/account/api-keys/${doomed.id}`), 204);
    revokedAt = performance.now();
    await waitUntil(
      async () => late.length,
      (count) => count > 10,
    );
    stopped = true;
    await Promise.all(hammers);
    expect(early).toContain(200);
    expect(new Set(late)).toEqual(new Set([401]));
    const response = await service.as({ key: doomed.key }).run(one);
    expect(problemOf(response).code).toBe('credential_revoked');
    expect((await service.as({ key: other.key }).run(one)).status).toBe(200);
    await caller.call('DELETE', `/api/v1/account/api-keys/${other.id}`);
  }
});

test('revoking twice succeeds; unknown keys and keys of others are 404', async () => {
  const [mine, theirs] = [await createUser(service, 'mine'), await createUser(service, 'theirs')];
  const { id } = await createKey(mine.caller);
  expect((await theirs.caller.call('DELETE', `/api/v1/account/api-keys/${id}`)).status).toBe(404);
  expect((await keysOf(mine.caller))[0]?.state).toBe('active');
  for (let i = 0; i < 2; i++) expect((await mine.caller.call('DELETE', `/api/v1/account/api-keys/${id}`)).status).toBe(204);
  expect((await mine.caller.call('DELETE', '/api/v1/account/api-keys/nonsense')).status).toBe(404);
});

test('lastUsedAt is updated soon after a use', async () => {
  const { caller } = await createUser(service, 'user of keys');
  const [used] = [await createKey(caller, { name: 'used' }), await createKey(caller, { name: 'idle' })];
  const before = Date.now();
  await service.as({ key: used.key }).call('GET', '/api/v1/account');
  const keys = await waitUntil(
    () => keysOf(caller),
    (all) => all.some((each) => each.lastUsedAt !== null),
  );
  const lastUsed = Object.fromEntries(keys.map(({ name, lastUsedAt }) => [name, lastUsedAt]));
  expect(Date.parse(lastUsed.used ?? '')).toBeGreaterThanOrEqual(before);
  expect(lastUsed.idle).toBeNull();
});

test('refuses a key with any character changed, and malformed keys', async () => {
  const { key } = await createKey((await createUser(service, 'altered')).caller);
  const me = (text: string) => service.as({ key: text }).call('GET', '/api/v1/account');
  for (const at of [0, 5, 20, key.length - 1]) {
    const altered = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`;
    expect([at, (await me(altered)).status]).toEqual([at, 401]);
  }
  for (const text of [key.slice(0, -1), `${key}0`, key.toUpperCase(), 'x', 'slc_']) expect((await me(text)).status).toBe(401);
  expect((await me(` ${key} `)).status, 'blanks around a header value do not belong to it').toBe(200);
});

test('administrators can list and revoke the keys of a user; other users cannot', async () => {
  const person = await createUser(service, 'watched');
  const keys = [await createKey(person.caller, { name: 'a' }), await createKey(person.caller, { name: 'b' })];
  const path = `/api/v1/users/${person.id}/api-keys`;
  expect((await person.caller.call('GET', path)).status).toBe(404);
  expect((await person.caller.call('DELETE', path)).status).toBe(404);
  const seen = await service.as(admin).call<List<ApiKey>>('GET', path);
  expect(seen.json.items.map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
  expect(seen.text).not.toContain(keys[0]?.key);
  const works = async () =>
    Promise.all(keys.map(async ({ key }) => (await service.as({ key }).call('GET', '/api/v1/account')).status));
  expect((await service.as(admin).call('DELETE', `${path}/${keys[0]?.id}`)).status).toBe(204);
  expect(await works()).toEqual([401, 200]);
  expect((await service.as(admin).call('DELETE', path)).status).toBe(204);
  expect(await works()).toEqual([401, 401]);
  expect((await service.as(admin).call('GET', '/api/v1/users/nobody/api-keys')).status).toBe(404);
});

test('the list supports paging and search', async () => {
  const { caller } = await createUser(service, 'lister');
  for (const name of ['Alpha', 'Beta', 'Alphabet']) await createKey(caller, { name });
  const list = async (query: string) => (await caller.call<List<ApiKey>>('GET', `/api/v1/account/api-keys?${query}`)).json;
  expect((await list('search=alpha')).items.map(({ name }) => name).toSorted()).toEqual(['Alpha', 'Alphabet']);
  const first = await list('limit=2');
  const second = await list(`limit=2&cursor=${first.nextCursor}`);
  expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(3);
  for (const bad of ['limit=0', 'limit=1001', 'limit=x'])
    expect((await caller.call('GET', `/api/v1/account/api-keys?${bad}`)).status).toBe(400);
});
