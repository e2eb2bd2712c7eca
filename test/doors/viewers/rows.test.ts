import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpOf } from '../../support/http/mcp.ts';
import { fieldsOf, problemOf } from '../../support/http/problem.ts';
import { bearer, createSigner, createVouchingApplication, sign } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let host: Application;
let orders: string; // bound to the region of the caller
let sales: string; // takes @Country
type Application = Awaited<ReturnType<typeof createVouchingApplication>>;

const regions =
  "(values ('North', 'PT', 1), ('North', 'DE', 2), ('South', 'PT', 3), ('East', 'DE', 4)) as t(region, country, amount)";
let keyServer: Server;
let published: unknown[] = [];
beforeAll(async () => {
  keyServer = createServer((_request, response) => void response.end(JSON.stringify({ keys: published })));
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  const { port } = Object(keyServer.address());
  service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: `127.0.0.1:${port}` });
  root = service.as(admin);
  const text = (name: string, more: Record<string, unknown>) => ({ name, dataType: 'nvarchar', ...more });
  orders = (
    await publish(root, {
      name: 'Orders',
      sql: `select region, country, amount from ${regions} where region in (@Region) order by amount`,
      parameters: [text('@Region', { boundTo: 'user.attributes.region', multiple: true })],
    })
  ).queryName;
  sales = (
    await publish(root, {
      name: 'Sales',
      sql: `select region, country, amount from ${regions} where country = @Country order by amount`,
      parameters: [text('@Country', { required: true })],
    })
  ).queryName;
  host = await createVouchingApplication(service, 'host', { attributes: { region: 'East' } });
});
afterAll(async () => {
  await service.close();
  keyServer.close();
});

const amounts = async (caller: Caller, queryName = orders, parameters: readonly unknown[] = []) =>
  (await expectStatus(caller.run(queryName, parameters), 200)).json.Data.map(({ amount }) => Number(amount));
const country = (Value: string) => [{ ParameterName: '@Country', Value, DataType: 'nvarchar' }];

test('each viewer sees the rows of the attributes in their token, never those of the application', async () => {
  expect(await amounts(await host.as('ana', { attributes: { region: 'North' } }))).toEqual([1, 2]);
  expect(await amounts(await host.as('bob', { attributes: { region: ['South', 'East'] } }))).toEqual([3, 4]);
  const without = await (await host.as('eve')).run(orders);
  expect([without.status, problemOf(without).code]).toEqual([403, 'caller_attribute_missing']);
  const { key } = await host.createKey();
  expect(await amounts(service.as({ key })), 'the application itself').toEqual([4]);
});

test('user.id and user.name are those of the viewer, other fields of the account are missing', async () => {
  const bound = async (source: string, caller: Caller) => {
    const { queryName } = await publish(root, {
      name: `Who ${source} ${Math.random()}`,
      sql: 'select @Who as who',
      parameters: [{ name: '@Who', dataType: 'nvarchar', boundTo: source }],
    });
    const { status, json } = await caller.run(queryName);
    return status === 200 ? json.Data[0]?.who : status;
  };
  const ana = await host.as('ana', { name: 'Ana Sousa' });
  expect([await bound('user.id', ana), await bound('user.name', ana)]).toEqual(['ana', 'Ana Sousa']);
  expect(await bound('user.name', await host.as('ana')), 'without a name').toBe('ana');
  for (const source of ['user.email', 'user.fullName', 'user.roles'])
    expect([source, await bound(source, ana)]).toEqual([source, 403]);
});

test('the token is accepted at every door that runs queries, and the audit trail names application and viewer', async () => {
  const token = await host.tokenOf('door', { attributes: { region: 'North' } });
  const ana = service.as({ token });
  const run = await expectStatus(ana.run(orders), 200);
  const exported = await expectStatus(
    ana.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', { QueryName: orders, Parameters: [] }),
    200,
  );
  expect(exported.text.split('\r\n').slice(1, 3)).toEqual(['North,PT,1', 'North,DE,2']);
  const chart = await expectStatus(
    ana.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName: orders, Parameters: [] }),
    200,
  );
  const described = await expectStatus(ana.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${sales}`), 200);
  expect(described.text).toContain('@Country');
  const tool = await mcpOf(service).tool('execute_query', { queryName: orders }, bearer(token));
  expect(tool.Data).toMatchObject([{ amount: 1 }, { amount: 2 }]);

  for (const { headers } of [run, exported, chart]) {
    const trail = await root.call<List<Record<string, unknown>>>('GET', `/api/v1/audit?requestId=${headers.get('x-request-id')}`);
    expect(trail.json.items).toMatchObject([{ user: 'host', kind: 'application', viewer: 'door', apiKey: null, outcome: 'ok' }]);
  }
  const overMcp = await root.call<List<Record<string, unknown>>>('GET', '/api/v1/audit?channel=mcp&limit=1');
  expect(overMcp.json.items).toMatchObject([
    { user: 'host', kind: 'application', viewer: 'door', parameters: { '@Region': ['North'] } },
  ]);
  await expect
    .poll(
      async () => (await root.call<List<{ sub: string; calls: number }>>('GET', `${host.path}/viewers?search=door`)).json.items,
      { timeout: 20_000 },
    )
    .toMatchObject([{ sub: 'door', calls: 5, lastUsedAt: expect.stringMatching(/Z$/), blockedAt: null }]);
});

test('a value in the token is fixed: it is used, and sending it is refused', async () => {
  const ana = await host.as('ana', { values: { '@country': 'PT', '@Other': 1 } });
  expect(await amounts(ana, sales)).toEqual([1, 3]);
  const sent = await ana.run(sales, country('DE'));
  expect([sent.status, problemOf(sent).code]).toEqual([400, 'parameter_bound']);
  const refused = await mcpOf(service).refusal(
    'execute_query',
    { queryName: sales, parameters: { '@Country': 'DE' } },
    bearer(await host.tokenOf('ana', { values: { '@Country': 'PT' } })),
  );
  expect(refused.code).toBe(-32602);
  const bound = await host.as('ana', { attributes: { region: 'North' }, values: { '@Region': ['South'], Region: 'South' } });
  expect(await amounts(bound), 'a bound parameter is never fixed').toEqual([1, 2]);
});

test('later pages of a result with a fixed value are read without sending it', async () => {
  const ana = await host.as('pager', { values: { '@Country': 'PT' } });
  const first = await expectStatus(ana.run(sales, [], { RowSize: '1' }), 200);
  expect(first.json.Data).toMatchObject([{ amount: 1 }]);
  const next = await expectStatus(
    ana.run(sales, [], { RowSize: '1', RowIndex: '1', QueryMoreCode: first.json.QueryMoreCode ?? '' }),
    200,
  );
  expect(next.json.Data).toMatchObject([{ amount: 3 }]);
});

test('choices are those of the viewer', async () => {
  const cities = await publish(root, {
    name: 'Countries',
    sql: `select distinct country from ${regions} where region in (@Region) order by country`,
    parameters: [{ name: '@Region', dataType: 'nvarchar', boundTo: 'user.attributes.region', multiple: true }],
  });
  const outer = await publish(root, {
    name: 'With choices',
    sql: 'select @Country as c',
    parameters: [{ name: '@Country', dataType: 'nvarchar', choices: { query: cities.queryName, value: 'country' } }],
  });
  const choicesOf = async (sub: string, region: string) => {
    const caller = await host.as(sub, { attributes: { region }, queries: [outer.queryName] });
    const { json } = await expectStatus(
      caller.call<{ items: { value: string }[] }>('GET', `/api/v1/queries/${outer.queryName}/choices?parameter=@Country`),
      200,
    );
    return json.items.map(({ value }) => value);
  };
  expect([await choicesOf('ana', 'South'), await choicesOf('bob', 'North')]).toEqual([['PT'], ['DE', 'PT']]);
});

test('queries narrows the rights of the application and never widens them', async () => {
  const narrowed = await host.as('ana', { queries: [sales] });
  expect((await narrowed.run(sales, country('PT'))).status).toBe(200);
  expect((await narrowed.run(orders)).status).toBe(403);
  expect((await (await host.as('ana', { queries: [] })).run(sales, country('PT'))).status).toBe(403);
  const closed = await publish(root, { name: 'For Finance', sql: 'select 1 as one', roles: ['Auditor'] });
  expect((await (await host.as('ana', { queries: [closed.queryName] })).run(closed.queryName)).status).toBe(403);
});

test('keys are replaced without a pause: two at once, then the old one is refused', async () => {
  const app = await createVouchingApplication(service, 'rotating');
  const [first, second] = [createSigner('ES256', 'first'), createSigner('RS256', 'second')];
  const put = (keys: readonly unknown[]) => expectStatus(root.call('PUT', `${app.path}/signing-keys`, { jwks: { keys } }), 200);
  const status = async (by: typeof first) =>
    (await service.as({ token: await app.tokenOf('ana', {}, by) }).run(sales, country('PT'))).status;
  const old = await app.as('ana');
  expect((await old.run(sales, country('PT'))).status).toBe(200);
  expect((await put([first.jwk, second.jwk])).json).toMatchObject({
    kind: 'jwks',
    keys: [
      { kid: 'first', alg: 'ES256' },
      { kid: 'second', alg: 'RS256' },
    ],
  });
  expect((await old.run(sales, country('PT'))).status, 'a token that was remembered').toBe(401);
  expect([await status(first), await status(second)]).toEqual([200, 200]);
  await put([second.jwk]);
  expect([await status(first), await status(second)]).toEqual([401, 200]);
  await expectStatus(root.call('DELETE', `${app.path}/signing-keys`), 204);
  expect(await status(second)).toBe(401);
});

test('a secret is shown once, and signs with HS256', async () => {
  const app = await createVouchingApplication(service, 'secretive');
  const created = await expectStatus(root.call<{ secret: string }>('PUT', `${app.path}/signing-keys`, { secret: true }), 200);
  const key = Buffer.from(created.json.secret, 'base64url');
  expect(key).toHaveLength(32);
  expect((await root.call('GET', `${app.path}/signing-keys`)).text).not.toContain(created.json.secret);
  const token = await app.tokenOf('ana', {}, { alg: 'HS256', key });
  expect((await service.as({ token }).run(sales, country('PT'))).status).toBe(200);
  await expectStatus(root.call('PUT', `${app.path}/signing-keys`, { secret: true }), 200);
  expect((await service.as({ token }).run(sales, country('PT'))).status).toBe(401);
});

test('a set of keys may have the members that other programs write, but no secret ones', async () => {
  const app = await createVouchingApplication(service, 'exported');
  const signer = createSigner('ES256', 'exported');
  const put = (further: object) =>
    root.call('PUT', `${app.path}/signing-keys`, { jwks: { keys: [{ ...signer.jwk, ...further }], issuer: 'elsewhere' } });
  await expectStatus(put({ key_ops: ['verify'], ext: true, x5c: ['MII'], 'x5t#S256': 'a' }), 200);
  const token = await app.tokenOf('ana', {}, signer);
  expect((await service.as({ token }).run(sales, country('PT'))).status).toBe(200);
  const refused = await put({ d: 'c2VjcmV0' });
  expect([refused.status, problemOf(refused).detail]).toEqual([400, expect.stringContaining('This key is secret')]);
});

test('keys are read from an address, also beside keys for other purposes', async () => {
  const [first, second] = [createSigner('EdDSA', 'one'), createSigner('ES256', 'two')];
  published = [first.jwk, { kty: 'RSA', use: 'enc', n: 'AQAB', e: 'AQAB' }];
  const app = await createVouchingApplication(service, 'remote keys');
  const { port } = Object(keyServer.address());
  const jwksUri = `http://127.0.0.1:${port}/keys`;
  await expectStatus(root.call('PUT', `${app.path}/signing-keys`, { jwksUri }), 200);
  expect((await root.call('GET', `${app.path}/signing-keys`)).json).toEqual({ kind: 'jwksUri', keys: [], jwksUri });
  const status = async (by: typeof first) =>
    (await service.as({ token: await app.tokenOf('ana', {}, by) }).run(sales, country('PT'))).status;
  expect([await status(first), await status(second)]).toEqual([200, 401]);
});

test('refuses keys that are private, weak, unknown or sent in several ways', async () => {
  const signer = createSigner();
  const privateKey =
    'export' in signer.key && typeof signer.key.export === 'function' ? signer.key.export({ format: 'jwk' }) : {};
  const bodies: readonly unknown[] = [
    {},
    { jwks: { keys: [signer.jwk] }, secret: true },
    { jwks: { keys: [] } },
    { jwks: { keys: [privateKey] } },
    { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } },
    { jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] } },
    { jwks: { keys: [{ ...signer.jwk, crv: 'X25519' }] } },
    { jwks: { keys: [{ ...signer.jwk, alg: 'HS256' }] } },
    {
      jwks: {
        keys: [
          { ...signer.jwk, kid: 'a' },
          { ...createSigner().jwk, kid: 'a' },
        ],
      },
    },
    { jwksUri: 'http://example.org/keys' },
    { jwksUri: 'https://127.0.0.1/keys' },
    { jwksUri: 'https://169.254.169.254/latest' },
    { jwksUri: 'https://me:pass@example.org/' },
    { jwksUri: 'nowhere' },
    { secret: false },
    { other: 1 },
  ];
  for (const body of bodies) {
    const refused = await root.call('PUT', `${host.path}/signing-keys`, body);
    expect([JSON.stringify(body).slice(0, 80), refused.status]).toEqual([JSON.stringify(body).slice(0, 80), 400]);
    expect(refused.text).not.toContain(String(Object(privateKey).d));
  }
  const person = await root.call<{ id: string }>('GET', '/api/v1/account');
  const ofPerson = await root.call('PUT', `/api/v1/users/${person.json.id}/signing-keys`, { secret: true });
  expect([ofPerson.status, problemOf(ofPerson).code]).toEqual([409, 'state_conflict']);
});

test('a blocked viewer is refused at once until it is unblocked, whatever its name', async () => {
  for (const sub of ['Mallory', 'a/b?c#d', 'Ünïcødé 用户', `auth0|${'x'.repeat(190)}`]) {
    const viewer = await host.as(sub);
    const path = `${host.path}/viewers/${encodeURIComponent(sub)}/block`;
    const status = async () => (await viewer.run(sales, country('PT'))).status;
    expect([sub, await status()]).toEqual([sub, 200]);
    expect((await expectStatus(root.call('POST', path), 200)).json).toMatchObject({
      sub,
      blockedAt: expect.stringMatching(/Z$/),
    });
    expect([sub, await status()]).toEqual([sub, 401]);
    expect((await (await host.as('somebody else')).run(sales, country('PT'))).status).toBe(200);
    await expectStatus(root.call('POST', path), 200);
    await expectStatus(root.call('DELETE', path), 204);
    expect([sub, await status()]).toEqual([sub, 200]);
  }
});

test('a name that no token can have is not blocked', async () => {
  for (const sub of ['x'.repeat(201), '用'.repeat(201), 'a\nb', '\0', '\u0085']) {
    for (const method of ['POST', 'DELETE']) {
      const refused = await root.call(method, `${host.path}/viewers/${encodeURIComponent(sub)}/block`);
      expect([method, sub, refused.status, fieldsOf(refused)]).toEqual([method, sub, 400, ['sub']]);
    }
  }
  const empty = await root.call('POST', `${host.path}/viewers//block`);
  expect([empty.status, fieldsOf(empty)]).toEqual([400, ['sub']]);
  const longest = '用'.repeat(200);
  await expectStatus(root.call('POST', `${host.path}/viewers/${encodeURIComponent(longest)}/block`), 200);
  expect((await (await host.as(longest)).run(sales, country('PT'))).status).toBe(401);
});

test('the list of viewers pages through all of them', async () => {
  const app = await createVouchingApplication(service, 'popular');
  const subs = Array.from({ length: 25 }, (_, index) => `viewer ${String(index).padStart(2, '0')}`);
  for (const sub of subs) await expectStatus(root.call('POST', `${app.path}/viewers/${encodeURIComponent(sub)}/block`), 200);
  const path = `${app.path}/viewers?limit=10&search=viewer`;
  const found: string[] = [];
  let more = '';
  for (let pages = 0; pages < 3; pages++) {
    const { json } = await expectStatus(root.call<List<{ sub: string }>>('GET', path + more), 200);
    found.push(...json.items.map(({ sub }) => sub));
    more = `&cursor=${encodeURIComponent(json.nextCursor ?? '')}`;
  }
  expect([found, more]).toEqual([subs, '&cursor=']);
  const forged = await root.call('GET', `${path}&cursor=${Buffer.from('["a","b"]').toString('base64url')}`);
  expect([forged.status, fieldsOf(forged)]).toEqual([400, ['cursor']]);
});

test('disabling the application ends its viewers, and enabling it accepts them again', async () => {
  const app = await createVouchingApplication(service, 'switched');
  const viewer = await app.as('ana');
  const status = async () => (await viewer.run(sales, country('PT'))).status;
  expect(await status()).toBe(200);
  await expectStatus(root.call('PATCH', app.path, { disabled: true }), 200);
  expect(await status()).toBe(401);
  await expectStatus(root.call('PATCH', app.path, { disabled: false }), 200);
  expect(await status()).toBe(200);
  await expectStatus(root.call('PATCH', app.path, { roles: [] }), 200);
  expect(await status(), 'its rights of this moment').toBe(403);
});

test('a token of another service is refused', async () => {
  const other = await sign(host.signer, { iss: host.id, aud: 'https://other.example.org', sub: 'ana' });
  expect((await service.as({ token: other }).run(sales, country('PT'))).status).toBe(401);
  const slash = await host.tokenOf('ana', { aud: [`${service.url}/`, 'https://other.example.org'] });
  expect((await service.as({ token: slash }).run(sales, country('PT'))).status).toBe(200);
});
