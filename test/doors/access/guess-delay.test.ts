import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { createKey, createUser, signIn } from '../../support/people/accounts.ts';
import { storeName } from '../../support/services/metadata-store.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(() => service.close());

const from = (address: string) => ({ 'X-Forwarded-For': address });
const guess = async (username: string, password: string, address: string): Promise<number> =>
  (await service.as().call('POST', '/api/v1/session', { username, password }, from(address))).status;
const me = async (credential: Parameters<TestService['as']>[0], address: string): Promise<number> =>
  (await service.as(credential).call('GET', '/api/v1/account', undefined, from(address))).status;

test('verifies few of the guesses at one account from many addresses and never locks the owner out', async () => {
  const owner = await createUser(service, 'wanted');
  const { key } = await createKey(owner.caller);
  const cookie = await signIn(service, owner, from('192.0.2.1'));
  expect(await me(owner, '192.0.2.1'), 'remembers the credential').toBe(200);

  const guesses = Array.from({ length: 120 }, (_, n) => guess(n % 2 ? 'WANTED' : 'wanted', `wrong guess ${n}`, `10.2.0.${n}`));
  const under = Promise.all(guesses);
  expect(await me({ key }, '192.0.2.200')).toBe(200);
  expect(await me({ cookie }, '192.0.2.200')).toBe(200);
  expect(await me(owner, '192.0.2.200'), 'a remembered credential').toBe(200);
  const statuses = await under;
  const looked = statuses.filter((status) => status === 401).length;
  const refused = statuses.filter((status) => status === 429).length;
  // ten immediately, those that fit the delay queue, and some more as the first delays end; 503 when the hash queue is full
  expect(looked).toBeLessThanOrEqual(50);
  expect(refused).toBeGreaterThanOrEqual(26);

  expect(await guess('wanted', owner.password, '192.0.2.1'), 'from an address that they signed in from').toBe(200);
  expect(await guess('wanted', owner.password, '192.0.2.77'), 'from a new address, after a few seconds').toBe(200);
  reportFigure(27, `${storeName}: of 120 guesses at once from 120 addresses ${looked} were looked at, ${refused} refused (429)`);
});

test('counts the addresses of one IPv6 network as one', async () => {
  const { username } = await createUser(service, 'sixth');
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push(await guess(username, `wrong guess ${n}`, `2001:db8:7:8::${n}`));
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await guess(username, 'wrong guess', '2001:db8:7:9::1')).toBe(401);
});

test('treats an account that does not exist the same way', async () => {
  const guesses = Array.from({ length: 120 }, (_, n) => guess('nobody', `wrong guess ${n}`, `10.3.0.${n}`));
  expect((await Promise.all(guesses)).filter((status) => status === 401).length).toBeLessThanOrEqual(50);
});
