import { createHmac, createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import {
  bearer,
  createSigner,
  createVouchingApplication,
  fewSlots,
  forEachOfThousand,
  seconds,
  sign,
} from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

type Application = Awaited<ReturnType<typeof createVouchingApplication>>;
let service: TestService;
let root: Caller;
let host: Application;
let numbers: string;
let own: string; // bound to the viewer, shared among equal callers
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  host = await createVouchingApplication(service, 'host', { attributes: { team: 'red' } });
  numbers = (await publish(root, { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
  own = (
    await publish(root, {
      name: 'Own',
      sql: 'select @Team as team, n from range(3) as t(n)',
      parameters: [{ name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' }],
      cacheSeconds: 600,
    })
  ).queryName;
});
afterAll(() => service.close());

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const statusOf = async (token: string, path = numbers) => (await service.as({ token }).run(path)).status;
const good = () => sign(host.signer, claimsOf());
const claimsOf = () => ({ iss: host.id, aud: service.url, sub: 'ana', iat: seconds(), exp: seconds() + 300 });

describe('a forged token is refused at REST and over MCP', () => {
  const other = createSigner();
  const pem = () => Buffer.from(JSON.stringify(host.signer.jwk));
  const spki = () => createPublicKey({ key: host.signer.jwk, format: 'jwk' });
  const raw = () => Buffer.from(host.signer.jwk.x ?? '', 'base64url');
  const hmac = (key: Buffer) => {
    const body = `${base64({ alg: 'HS256', typ: 'JWT' })}.${base64(claimsOf())}`;
    return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
  };
  const cases: Readonly<Record<string, () => Promise<string> | string>> = {
    'alg none': () => `${base64({ alg: 'none' })}.${base64(claimsOf())}.`,
    'alg None': () => `${base64({ alg: 'None' })}.${base64(claimsOf())}.x`,
    'HS256 with the public key as JSON': () => hmac(pem()),
    'HS256 with the bytes of the public key': () => hmac(raw()),
    'HS256 with the public key as PEM': () => hmac(Buffer.from(spki().export({ type: 'spki', format: 'pem' }))),
    'HS256 with the public key as DER': () => hmac(spki().export({ type: 'spki', format: 'der' })),
    'HS256 in the header, signed with the private key': () =>
      sign(host.signer, claimsOf()).then((token) => [base64({ alg: 'HS256' }), ...token.split('.').slice(1)].join('.')),
    'HS256 with an empty key': () => hmac(Buffer.alloc(0)),
    'another key': () => sign(other, claimsOf()),
    'its own key in jwk': () => sign(other, claimsOf(), { jwk: other.jwk }),
    'a kid that is a path': () => sign(other, claimsOf(), { kid: '../../../../dev/null' }),
    'a kid that is SQL': () => sign(other, claimsOf(), { kid: "x' or '1'='1" }),
    'an application of this service as audience': () => sign(host.signer, { ...claimsOf(), aud: host.id }),
    'no audience': () => sign(host.signer, { ...claimsOf(), aud: undefined }),
    'no issuer': () => sign(host.signer, { ...claimsOf(), iss: undefined }),
    'a person as issuer': async () =>
      sign(host.signer, { ...claimsOf(), iss: (await root.call<{ id: string }>('GET', '/api/v1/account')).json.id }),
    'an unknown issuer': () => sign(host.signer, { ...claimsOf(), iss: '00000000-0000-4000-8000-000000000000' }),
    'an object as issuer': () => sign(host.signer, { ...claimsOf(), iss: { $ne: null } }),
    'a list as issuer': () => sign(host.signer, { ...claimsOf(), iss: [host.id] }),
    'a number as issuer': () => sign(host.signer, { ...claimsOf(), iss: 7 }),
    'an issuer that no store can read': () => sign(host.signer, { ...claimsOf(), iss: 'a\0b' }),
    'no sub': () => sign(host.signer, { ...claimsOf(), sub: undefined }),
    'an empty sub': () => sign(host.signer, { ...claimsOf(), sub: '' }),
    'a long sub': () => sign(host.signer, { ...claimsOf(), sub: 'x'.repeat(201) }),
    'a sub with a line break': () => sign(host.signer, { ...claimsOf(), sub: 'a\nb' }),
    expired: () => sign(host.signer, { ...claimsOf(), iat: seconds() - 600, exp: seconds() - 1 }),
    'no expiry': () => sign(host.signer, { ...claimsOf(), exp: undefined }),
    'no time of issue': () => sign(host.signer, { ...claimsOf(), iat: undefined }),
    'too long-lived': () => sign(host.signer, { ...claimsOf(), exp: seconds() + 3602 }),
    'of the future': () => sign(host.signer, { ...claimsOf(), iat: seconds() + 120, exp: seconds() + 300 }),
    'not valid yet': () => sign(host.signer, { ...claimsOf(), nbf: seconds() + 120 }),
    'text as times': () => sign(host.signer, { ...claimsOf(), exp: String(seconds() + 300) }),
    'an infinite expiry': () => sign(host.signer, { ...claimsOf(), exp: 1e300, iat: 1e300 }),
    'attributes that are numbers': () => sign(host.signer, { ...claimsOf(), attributes: { team: 7 } }),
    'attributes that are objects': () => sign(host.signer, { ...claimsOf(), attributes: { team: { in: ['red'] } } }),
    'queries that are text': () => sign(host.signer, { ...claimsOf(), queries: numbers }),
    'values that are objects': () => sign(host.signer, { ...claimsOf(), values: { '@n': { sql: '1' } } }),
    'a changed payload': async () => {
      const [header, , signature] = (await good()).split('.');
      return `${header}.${base64({ ...claimsOf(), sub: 'eve' })}.${signature}`;
    },
    'a cut signature': async () => (await good()).slice(0, -4),
    'a fourth part': async () => `${await good()}.x`,
    garbage: () => 'a.b.c',
    'an encrypted token': () => 'a.b.c.d.e',
  };
  test.each(Object.entries(cases))('%s', async (_name, make) => {
    const token = await make();
    expect(await statusOf(token)).toBe(401);
    expect((await mcpOf(service).refusal('execute_query', { queryName: numbers }, bearer(token))).code).toBe(40101);
  });

  test('and the address of keys in it is never read', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end(JSON.stringify({ keys: [other.jwk] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${Object(server.address()).port}/`;
    for (const header of [{ jku: address }, { x5u: address }, { kid: address, jku: address }])
      expect(await statusOf(await sign(other, claimsOf(), header))).toBe(401);
    server.close();
    expect(requests).toBe(0);
  });

  test('while a valid one is accepted', async () => expect(await statusOf(await good())).toBe(200));
});

test('the algorithm is that of the stored key, for every kind of key', async () => {
  const rsa = createSigner('RS256');
  const app = await createVouchingApplication(service, 'with RSA');
  const path = `${app.path}/signing-keys`;
  await expectStatus(root.call('PUT', path, { jwks: { keys: [rsa.jwk] } }), 200);
  const pem = createPublicKey({ key: rsa.jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const by = async (signer: Parameters<typeof sign>[0]) => statusOf(await app.tokenOf('ana', {}, signer));
  expect(await by(rsa)).toBe(200);
  for (const alg of ['RS512', 'PS256']) expect([alg, await by({ ...rsa, alg })]).toEqual([alg, 401]);
  expect(await by({ alg: 'HS256', key: Buffer.from(pem) })).toBe(401);
  const { json } = await expectStatus(root.call<{ secret: string }>('PUT', path, { secret: true }), 200);
  const secret = Buffer.from(json.secret, 'base64url');
  expect(await by({ alg: 'HS256', key: secret })).toBe(200);
  expect(await by({ alg: 'HS512', key: Buffer.concat([secret, secret]) })).toBe(401);
  expect(await by({ alg: 'HS256', key: Buffer.from(json.secret) }), 'the secret as text').toBe(401);
  expect(await by(rsa)).toBe(401);
});

test('a token of one application is refused for another', async () => {
  const other = await createVouchingApplication(service, 'other host');
  expect(await statusOf(await sign(host.signer, { ...claimsOf(), iss: other.id }))).toBe(401);
  expect(await statusOf(await sign(other.signer, claimsOf()))).toBe(401);
  // two applications with the same key: the issuer decides, also for a token that is remembered
  await expectStatus(root.call('PUT', `${other.path}/signing-keys`, { jwks: { keys: [host.signer.jwk] } }), 200);
  await expectStatus(root.call('PATCH', other.path, { roles: [] }), 200);
  expect(await statusOf(await sign(host.signer, { ...claimsOf(), iss: other.id }))).toBe(403);
  expect(await statusOf(await sign(host.signer, claimsOf()))).toBe(200);
});

test('a token that was accepted ends when it says so', async () => {
  const token = await sign(host.signer, { ...claimsOf(), exp: seconds() + 2 });
  expect(await statusOf(token)).toBe(200);
  await expect.poll(() => statusOf(token), { timeout: 10_000 }).toBe(401);
});

test('results are those of one viewer: code, snapshot, file and shared result', async () => {
  const [ana, bob] = [
    await host.as('ana', { attributes: { team: 'red' } }),
    await host.as('bob', { attributes: { team: 'blue' } }),
  ];
  const first = await expectStatus(ana.run(numbers, [], { RowSize: '2' }), 200);
  const code = first.json.QueryMoreCode ?? '';
  const next = { RowSize: '2', RowIndex: '2', QueryMoreCode: code };
  const foreign = await bob.run(numbers, [], next);
  expect([foreign.status, problemOf(foreign).code]).toEqual([403, 'continuation_foreign']);
  const { key } = await host.createKey();
  expect((await service.as({ key }).run(numbers, [], next)).status, 'the application itself').toBe(403);
  const later = await host.as('ana', { attributes: { team: 'red' } });
  expect((await later.run(numbers, [], next)).status, 'another token of the same viewer').toBe(200);

  expect((await ana.run(own)).json.Data).toMatchObject([{ team: 'red' }, { team: 'red' }, { team: 'red' }]);
  expect((await bob.run(own)).json.Data[0]).toMatchObject({ team: 'blue' });
  const isShared = async (sub: string) => {
    const page = await expectStatus((await host.as(sub, { attributes: { team: 'red' } })).run(own), 200);
    return (await auditOf(root, page)).cached;
  };
  expect([await isShared('ana'), await isShared('carl')], 'not even among equal values').toEqual([true, false]);

  const file = await expectStatus(
    ana.call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: own, Parameters: [] }),
    200,
  );
  const download = async () => (await fetch(file.json.downloadUrl)).status;
  expect(await download()).toBe(200);
  await expectStatus(root.call('POST', `${host.path}/viewers/ana/block`), 200);
  expect(await download(), 'the link of a blocked viewer').toBe(403);
  await expectStatus(root.call('DELETE', `${host.path}/viewers/ana/block`), 204);
});

test('a token that is sent in the wrong place is in no audit entry, log line or response', async () => {
  const token = await good();
  const sent = [
    service.as({ token }).run(token),
    service.as({ token }).run(numbers, [{ ParameterName: token, Value: token }]),
    service.as({ username: token, password: token }).run(numbers),
    service.as({ token }).call('GET', `/data/${token}.csv`),
    service.as({ token }).call('GET', `/data/${numbers}.csv?viewer=${token}`),
    service.as().call('GET', `/data/${token}/rows.csv`),
    service.as({ token }).run(numbers, [], { 'User-Agent': token }),
    mcpOf(service).call('execute_query', { apiKey: token, queryName: token }),
  ];
  const responses = (await Promise.all(sent)).map((each) => each.text);
  const { text } = await root.call('GET', '/api/v1/audit?limit=200');
  expect(text).toContain('eyJ…');
  const signature = token.split('.')[2] ?? '';
  for (const place of [...responses, text, service.log().join('\n')]) expect(place).not.toContain(signature);
});

test('a viewer token is refused by the management interface', async () => {
  const admins = await createVouchingApplication(service, 'powerful', { roles: ['Administrator'] });
  const viewer = await admins.as('ana');
  const { json } = await service.as().call<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json');
  const delivery =
    /^\/api\/v1\/(JsonBuilder|ChartBuilder|Export|EmbeddedChart|queries\/\{queryName\}\/choices|session\/o|openapi\.json)/;
  const routes = Object.entries(json.paths)
    .filter(([path]) => path.startsWith('/api/v1/') && !delivery.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const))
    .filter(([method, path]) => path !== '/api/v1/session' || method === 'GET');
  expect(routes.length).toBeGreaterThan(60);
  for (const [method, path] of routes) {
    const refused = await viewer.call(method, path.replaceAll(/\{\w+\}/g, admins.id), method === 'GET' ? undefined : {});
    expect([method, path, refused.status]).toEqual([method, path, 403]);
  }
});

test('a viewer token cannot create an embed', async () => {
  const chart = await publish(root, { name: 'Chart', sql: "select 'a' as label, 1 as amount" });
  const admins = await createVouchingApplication(service, 'embedding', { roles: ['Administrator'] });
  const query = `queryName=${chart.queryName}&chartType=bar&labelColumn=label&dataColumn=amount`;
  const refused = await (await admins.as('ana')).call('POST', `/api/v1/EmbeddedChart/GetEmbedUrl?${query}`);
  expect([refused.status, problemOf(refused).code]).toEqual([403, 'permission_denied']);
});

test('a manager of users cannot sign for rows that are bound, nor for an application with more rights', async () => {
  const manager = await createUser(service, 'manager', { roles: ['Security Administrator', 'Query User'], databases: ['*'] });
  const refused = await manager.caller.call('PUT', `${host.path}/signing-keys`, { secret: true });
  expect([refused.status, problemOf(refused).code]).toEqual([403, 'permission_denied']);
  const viewers = await manager.caller.call('GET', `${host.path}/viewers`);
  expect(viewers.status).toBe(200);
});

test('a thousand viewers at once share the slots of their application', async () => {
  const limited = await startTestService(fewSlots);
  try {
    const manager = limited.as(admin);
    const slow = await publish(manager, {
      name: 'Slow',
      sql: 'select count(*) as n from range(1000000) a where hash(a.range) % 7 = 1',
    });
    const quick = await publish(manager, { name: 'Quick', sql: 'select 1 as one' });
    const app = await createVouchingApplication(limited, 'popular');
    const statusOfViewer = async (index: number): Promise<number> => {
      const headers = { ...bearer(await app.tokenOf(`viewer ${index}`)), 'Content-Type': 'application/json' };
      const response = await fetch(`${limited.url}/api/query/execute/${slow.queryName}`, { method: 'POST', headers, body: '{}' });
      await response.text();
      return response.status;
    };
    const statuses = forEachOfThousand(statusOfViewer);
    expect((await manager.run(quick.queryName)).status, 'somebody else meanwhile').toBe(200);
    expect(new Set(await statuses)).toEqual(new Set([200, 429]));
    expect((await (await app.as('afterwards')).run(quick.queryName)).status).toBe(200);
  } finally {
    await limited.close();
  }
}, 240_000);

test('calls per second are counted for each viewer', async () => {
  const limited = await startTestService({ SLUICE_RATE_PER_KEY: '2' });
  try {
    const { queryName } = await publish(limited.as(admin), { name: 'One', sql: 'select 1 as one' });
    const app = await createVouchingApplication(limited, 'host');
    const [ana, bob] = [await app.as('ana'), await app.as('bob')];
    const statuses = await Promise.all(Array.from({ length: 6 }, async () => (await ana.run(queryName)).status));
    expect([statuses.filter((each) => each === 200).length, statuses.filter((each) => each === 429).length]).toEqual([2, 4]);
    expect((await bob.run(queryName)).status).toBe(200);
  } finally {
    await limited.close();
  }
});

describe.skipIf(postgresProblem() !== null)('two replicas', () => {
  test('blocking, disabling and replacing keys take effect at both at once', async () => {
    const url = await createDatabase();
    const here = await startTestService({ SLUICE_METADATA_URL: url });
    const there = await startTestService({
      SLUICE_METADATA_URL: url,
      SLUICE_DATA: here.folder,
    });
    try {
      const manager = here.as(admin);
      const { queryName } = await publish(manager, { name: 'One', sql: 'select 1 as one' });
      const app = await createVouchingApplication(here, 'host');
      const token = await app.tokenOf('ana', { aud: [here.url, there.url] });
      const both = () => Promise.all([here, there].map(async (each) => (await each.as({ token }).run(queryName)).status));
      expect(await both()).toEqual([200, 200]);
      expect(await both()).toEqual([200, 200]);
      await expectStatus(manager.call('POST', `${app.path}/viewers/ana/block`), 200);
      expect(await both()).toEqual([401, 401]);
      await expectStatus(there.as(admin).call('DELETE', `${app.path}/viewers/ana/block`), 204);
      expect(await both()).toEqual([200, 200]);
      await expectStatus(manager.call('PATCH', app.path, { disabled: true }), 200);
      expect(await both()).toEqual([401, 401]);
      await expectStatus(manager.call('PATCH', app.path, { disabled: false }), 200);
      expect(await both()).toEqual([200, 200]);
      await expectStatus(manager.call('PUT', `${app.path}/signing-keys`, { secret: true }), 200);
      expect(await both()).toEqual([401, 401]);
    } finally {
      await there.close();
      await here.close();
    }
  });
});
