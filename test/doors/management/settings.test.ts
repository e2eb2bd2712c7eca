import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { ADMIN_PASSWORD, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

interface Setting {
  readonly name: string;
  readonly changeable: boolean;
  readonly secret: boolean;
  readonly value?: unknown;
  readonly configured?: unknown;
}

let service: TestService;
let queryName: string;
beforeAll(async () => {
  service = await startTestService({ SLUICE_METRICS_TOKEN: 'the token of the metrics', SLUICE_ROWS_DEFAULT: '500' });
  queryName = (await publish(service.as(admin), { name: 'Many', sql: 'select i as n from range(2000) r(i)' })).queryName;
});
afterAll(() => service.close());

const get = async () =>
  (await expectStatus(service.as(admin).call<{ settings: Setting[] }>('GET', '/api/v1/settings'), 200)).json.settings;
const named = async (name: string) => (await get()).find((setting) => setting.name === name);
const patch = (body: unknown) => service.as(admin).call<{ settings: Setting[] }>('PATCH', '/api/v1/settings', body);
const rows = async (headers: Record<string, string> = {}) =>
  (await expectStatus(service.as(admin).run(queryName, [], headers), 200)).json.RowSize;

test('shows every setting with its effective value, and secrets without a value', async () => {
  const response = await service.as(admin).call<{ settings: Setting[] }>('GET', '/api/v1/settings');
  const names = response.json.settings.map(({ name }) => name);
  for (const name of ['host', 'port', 'rowsMax', 'rowsDefault', 'queryTimeoutSeconds', 'edition', 'mcp', 'allowedOrigins'])
    expect(names).toContain(name);
  const secrets = response.json.settings.filter(({ secret }) => secret);
  expect(secrets.map(({ name }) => name).toSorted()).toEqual([
    'adminPassword',
    'backupPassphrase',
    'metadataUrl',
    'metricsToken',
    'oidcClientSecret',
    'secrets',
  ]);
  for (const setting of secrets) {
    expect(setting).not.toHaveProperty('value');
    expect(setting).not.toHaveProperty('configured');
    expect(setting).not.toHaveProperty('default');
  }
  for (const secret of [ADMIN_PASSWORD, 'the token of the metrics']) expect(response.text).not.toContain(secret);
  expect(await named('rowsDefault')).toMatchObject({ value: 500, configured: 500, default: 1000, changeable: true });
  expect(await named('port')).toMatchObject({ changeable: false });
});

test('rowsMax takes effect with the next call, and null restores the default', async () => {
  expect([await rows(), await rows({ RowSize: '1000' })]).toEqual([500, 1000]);
  const changed = await patch({ rowsMax: 50, rowsDefault: 20 });
  expect(changed.status).toBe(200);
  expect(changed.json.settings.find(({ name }) => name === 'rowsMax')).toMatchObject({ value: 50, configured: 1000 });
  expect([await rows(), await rows({ RowSize: '1000' })]).toEqual([20, 50]);
  await expectStatus(patch({ rowsDefault: null, rowsMax: 40 }), 200);
  expect(await rows(), 'a default above it gives way').toBe(40);
  await expectStatus(patch({ 'rows.max': 60 }), 200);
  expect(await rows({ RowSize: '1000' }), 'by its name in the settings file too').toBe(60);
  await service.restart();
  expect(await rows({ RowSize: '1000' }), 'it survives a restart').toBe(60);
  await expectStatus(patch({ rowsMax: null, rowsDefault: null }), 200);
  expect([await rows(), await rows({ RowSize: '1000' })]).toEqual([500, 1000]);
});

test('the query timeout takes effect with the next call', async () => {
  const sql = 'select sum(a.i * b.i % 7) as n from range(1000000) a(i), range(1000000) b(i)';
  const slow = await publish(service.as(admin), { name: 'Slow', sql });
  await expectStatus(patch({ queryTimeoutSeconds: 1 }), 200);
  const response = await service.as(admin).run(slow.queryName);
  expect([response.status, problemOf(response).code]).toEqual([500, 'query_timed_out']);
  await expectStatus(patch({ queryTimeoutSeconds: null }), 200);
});

test('the rate limit per key takes effect with the next call, with 429 and Retry-After', async () => {
  const { json } = await service.as(admin).call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'rated' });
  await expectStatus(patch({ ratePerKey: 2 }), 200);
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) {
    const response = await service.as({ key: json.key }).run(queryName, [], { RowSize: '1' });
    statuses.push(response.status);
    if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(statuses.slice(0, 2)).toEqual([200, 200]);
  expect(statuses).toContain(429);
  expect((await service.as(admin).run(queryName)).status, 'other callers are not affected').toBe(200);
  await expectStatus(patch({ ratePerKey: null }), 200);
});

test('refuses an invalid value, an unknown name and a fixed setting by name, without any change', async () => {
  const before = await get();
  const wrong: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ rowsMax: 0 }, ['rowsMax']],
    [{ rowsMax: 'many' }, ['rowsMax']],
    [{ rowsMax: 1.5 }, ['rowsMax']],
    [{ rowsMax: [] }, ['rowsMax']],
    [{ port: 9090 }, ['port']],
    [{ adminPassword: 'another password' }, ['adminPassword']],
    [{ metricsToken: null }, ['metricsToken']],
    [{ noSuchSetting: 1 }, ['noSuchSetting']],
    [{ constructor: 1 }, ['constructor']],
    [{ rowsMax: 900, port: 1 }, ['port']],
    [{ rowsMax: 900, 'rows.max': 800 }, ['rows.max']],
  ];
  for (const [body, fields] of wrong) {
    const refused = await patch(body);
    expect([body, refused.status, fieldsOf(refused)]).toEqual([body, 400, fields]);
    expect(problemOf(refused).code).toBe(
      'noSuchSetting' in body || Object.hasOwn(body, 'constructor') ? 'field_unknown' : 'field_invalid',
    );
  }
  expect((await patch('[]')).status).toBe(400);
  expect(await get()).toEqual(before);
});

test('requires settings.manage', async () => {
  const { caller } = await createUser(service, 'security', { roles: ['Security Administrator'] });
  expect((await caller.call('GET', '/api/v1/settings')).status).toBe(403);
  expect((await caller.call('PATCH', '/api/v1/settings', { rowsMax: 10 })).status).toBe(403);
});
