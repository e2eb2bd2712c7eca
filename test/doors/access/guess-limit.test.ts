import { afterAll, beforeAll, expect, test } from 'vitest';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => service.close());

// each test uses its own client address behind the trusted proxy
const from = (address: string) => ({ 'X-Forwarded-For': address });
const guess = (username: string, password: string, address: string) =>
  service.as().call('POST', '/api/v1/session', { username, password }, from(address));
const me = (credential: Parameters<TestService['as']>[0], address: string) =>
  service.as(credential).call('GET', '/api/v1/account', undefined, from(address));

test('refuses the sixth attempt in a minute, ignoring the case of the user name, even with the right password', async () => {
  const { username, password } = await createUser(service, 'guessed');
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++)
    statuses.push((await guess(i % 2 ? 'GUESSED' : username, `wrong guess number ${i}`, '192.0.2.1')).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  for (const word of ['wrong guess again', password]) {
    const response = await guess(username, word, '192.0.2.1');
    expect([response.status, problemOf(response).code]).toEqual([429, 'too_many_attempts']);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  expect((await me({ username, password }, '192.0.2.1')).status, 'Basic counts too').toBe(429);
  expect((await guess(username, password, '192.0.2.2')).status, 'other addresses are not locked out').toBe(200);
  expect((await guess('someone else', 'wrong guess', '192.0.2.1')).status, 'other accounts are not concerned').toBe(401);
});

test('does not apply to keys, sessions and cached Basic credentials', async () => {
  const person = await createUser(service, 'busy');
  const { key } = await createKey(person.caller);
  const cookie = await signIn(service, person, from('192.0.2.10'));
  const unremembered = await createUser(service, 'not remembered');
  for (const name of ['busy', 'not remembered'])
    for (let i = 0; i < 6; i++) await guess(name, `wrong guess number ${i}`, '192.0.2.10');
  expect((await me(person, '192.0.2.10')).status).toBe(200);
  expect((await me({ key }, '192.0.2.10')).status).toBe(200);
  expect((await me({ cookie }, '192.0.2.10')).status).toBe(200);
  expect((await me(unremembered, '192.0.2.10')).status).toBe(429);
});

test('does not count wrong keys and ended sessions', async () => {
  const person = await createUser(service, 'clumsy');
  for (let i = 0; i < 60; i++) await me(i % 2 ? { key: 'slc_nonsense' } : { cookie: 'sluice_session=dead' }, '192.0.2.20');
  expect((await guess(person.username, person.password, '192.0.2.20')).status).toBe(200);
});

test('allows fifty failures per address, regardless of the user names', async () => {
  const guesses = Array.from({ length: 60 }, (_, i) => guess(`name ${i}`, 'wrong guess', '192.0.2.30'));
  const statuses = (await Promise.all(guesses)).map((response) => response.status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(50);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect((await guess('name 1', 'wrong guess', '192.0.2.31')).status).toBe(401);
});

test('counts parallel guesses', async () => {
  const { username } = await createUser(service, 'raced');
  const guesses = Array.from({ length: 20 }, (_, i) => guess(username, `wrong guess number ${i}`, '192.0.2.40'));
  const statuses = (await Promise.all(guesses)).map((response) => response.status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
});

test('does not count twenty parallel first calls with the right password', async () => {
  const person = await createUser(service, 'eager');
  const calls = Array.from({ length: 20 }, () => me(person, '192.0.2.50'));
  expect(new Set((await Promise.all(calls)).map((response) => response.status))).toEqual(new Set([200]));
});

test('a verified success resets the count; a cached one does not, because a busy client would hide a guesser', async () => {
  const { username, password } = await createUser(service, 'forgetful');
  const wrong = async (times: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i++) statuses.push((await guess(username, `wrong guess ${i}`, '192.0.2.60')).status);
    return statuses;
  };
  expect(await wrong(4)).toEqual([401, 401, 401, 401]);
  expect((await guess(username, password, '192.0.2.60')).status).toBe(200);
  expect(await wrong(3)).toEqual([401, 401, 401]);
  expect((await guess(username, password, '192.0.2.60')).status).toBe(200);
  expect(await wrong(3)).toEqual([401, 401, 429]);
});

test('limits guesses of the current password in a session', async () => {
  const person = await createUser(service, 'robbed');
  const cookie = await signIn(service, person, from('192.0.2.70'));
  const change = (currentPassword: string) =>
    service
      .as({ cookie })
      .call('PUT', '/api/v1/account/password', { currentPassword, newPassword: 'a password of mine' }, from('192.0.2.70'));
  for (let i = 0; i < 5; i++) expect((await change(`wrong guess number ${i}`)).status).toBe(400);
  expect((await change(person.password)).status).toBe(429);
});

test('audits a failed sign-in with the attempted user name and without the password', async () => {
  const response = await guess('some stranger', 'the secret of a stranger', '192.0.2.80');
  const trail = await service
    .as(admin)
    .call<{ items: readonly Record<string, unknown>[] }>(
      'GET',
      `/api/v1/audit?requestId=${response.headers.get('x-request-id')}`,
    );
  expect(trail.json.items).toEqual([
    expect.objectContaining({
      user: 'some stranger',
      action: 'session.sign-in',
      outcome: 'refused',
      status: 401,
      address: '192.0.2.80',
      channel: 'ui',
    }),
  ]);
  expect(trail.text).not.toContain('the secret of a stranger');
});
