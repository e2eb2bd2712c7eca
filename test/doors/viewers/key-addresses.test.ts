import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSigner, createVouchingApplication, seconds, type Signer } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let keyServer: Server;
let inside: Server; // what nobody outside may reach
let service: TestService;
let root: Caller;
let queryName: string;
let published: unknown;
let redirect: string | null = null;
let isDown = false;
let reads = 0; // of the key server
let ahead = 0; // seconds by which the clock of the service is ahead
const requests: string[] = [];

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

let address: string;
let insidePort: number;
beforeAll(async () => {
  inside = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('{"keys": []}');
  });
  inside.on('connection', () => requests.push('connected'));
  keyServer = createServer((_request, response) => {
    reads++;
    if (isDown) response.writeHead(503).end();
    else if (redirect !== null) response.writeHead(302, { location: redirect }).end();
    else response.end(JSON.stringify(published));
  });
  insidePort = await listen(inside);
  const port = await listen(keyServer);
  address = `http://127.0.0.1:${port}/keys`;
  const now = (): number => Date.now() + ahead * 1000;
  service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: `127.0.0.1:${port}` }, now);
  root = service.as(admin);
  ({ queryName } = await publish(root, { name: 'One', sql: 'select 1 as one' }));
});
afterAll(async () => {
  await service.close();
  for (const server of [inside, keyServer]) server.close();
});

let applications = 0;
/** The status of calls with tokens of an application whose keys are at an address. */
async function callsWith(jwksUri: string) {
  const app = await createVouchingApplication(service, `host ${++applications}`);
  await expectStatus(root.call('PUT', `${app.path}/signing-keys`, { jwksUri }), 200);
  return async (by: Signer): Promise<number> => {
    const iat = seconds() + ahead;
    return (await service.as({ token: await app.tokenOf('ana', { iat, exp: iat + 3600 }, by) }).run(queryName)).status;
  };
}
const statusOf = async (jwksUri: string, by: Signer = createSigner()): Promise<number> => (await callsWith(jwksUri))(by);

const publishKeys = (...keys: readonly Signer[]): void => {
  published = { keys: keys.map(({ jwk }) => jwk) };
};

test('keys are read again when a token names an unknown one, at most every half minute', async () => {
  const [first, second] = [createSigner('EdDSA', 'first'), createSigner('EdDSA', 'second')];
  publishKeys(first);
  const call = await callsWith(`${address}?unknown`);
  reads = 0;
  expect([await call(first), await call(first), reads]).toEqual([200, 200, 1]);
  publishKeys(first, second);
  expect([await call(second), reads], 'just read').toEqual([401, 1]);
  ahead += 31;
  expect([await call(second), await call(first), reads]).toEqual([200, 200, 2]);
  ahead += 31;
  const unknown = Array.from({ length: 20 }, (_, index) => call(createSigner('EdDSA', `unknown ${index}`)));
  expect(new Set(await Promise.all(unknown))).toEqual(new Set([401]));
  expect([await call(second), reads], 'one request for all of them').toEqual([200, 3]);
});

test('tokens of a key that is removed at its address end within five minutes, also those that were accepted', async () => {
  const [first, second] = [createSigner('ES256', 'first'), createSigner('RS256', 'second')];
  publishKeys(first, second);
  const app = await createVouchingApplication(service, 'removing');
  await expectStatus(root.call('PUT', `${app.path}/signing-keys`, { jwksUri: `${address}?removed` }), 200);
  const iat = seconds() + ahead;
  const [old, other] = await Promise.all(
    [first, second].map(async (by) => service.as({ token: await app.tokenOf('ana', { iat, exp: iat + 3600 }, by) })),
  );
  const statuses = async () => [(await old?.run(queryName))?.status, (await other?.run(queryName))?.status];
  expect(await statuses()).toEqual([200, 200]);
  publishKeys(second);
  reads = 0;
  ahead += 240;
  expect([...(await statuses()), reads]).toEqual([200, 200, 0]);
  ahead += 61;
  expect([...(await statuses()), reads]).toEqual([401, 200, 1]);
});

test('keys of an address that does not answer are used for an hour', async () => {
  const signer = createSigner('EdDSA', 'only');
  publishKeys(signer);
  const call = await callsWith(`${address}?down`);
  expect(await call(signer)).toBe(200);
  isDown = true;
  ahead += 3500;
  expect(await call(signer)).toBe(200);
  ahead += 200;
  expect(await call(signer)).toBe(401);
  isDown = false;
  ahead += 31;
  expect(await call(signer)).toBe(200);
});

test('keys that cannot be used do not keep others from being used', async () => {
  const good = createSigner('ES256');
  const { jwk } = createSigner('ES256');
  published = {
    keys: [
      { ...jwk, x: 'AAAA' }, // no point of the curve
      { kty: 'EC', crv: 'P-256' },
      { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
      { ...jwk, key_ops: ['encrypt'] },
      { ...createSigner('ES256').jwk, kid: 'other' },
      good.jwk,
    ],
  };
  expect(await statusOf(`${address}?broken`, good)).toBe(200);
});

test.each([
  ['no document'],
  [null],
  [{ keys: 'none' }],
  [{ keys: [null, 1, 'x'] }],
  [{ keys: Array(21).fill(createSigner().jwk) }],
])('a token is refused if the document of its keys is no JWKS: %j', async (document) => {
  published = document;
  expect(await statusOf(`${address}?${applications}`)).toBe(401);
});

test('addresses of the own network are not connected to, by name, by redirect or by another spelling', async () => {
  for (const host of ['localhost', 'localhost.']) expect(await statusOf(`https://${host}:${insidePort}/keys`), host).toBe(401);
  redirect = `http://127.0.0.1:${insidePort}/redirected`;
  expect(await statusOf(`${address}?redirected`)).toBe(401);
  redirect = null;
  const app = await createVouchingApplication(service, 'inside');
  const spellings = ['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254'];
  for (const host of spellings) {
    const refused = await root.call('PUT', `${app.path}/signing-keys`, { jwksUri: `https://${host}:${insidePort}/` });
    expect([host, refused.status]).toEqual([host, 400]);
  }
  for (const jwksUri of ['file:///etc/passwd', 'data:application/json,{"keys":[]}', `gopher://127.0.0.1:${insidePort}/`])
    expect([jwksUri, (await root.call('PUT', `${app.path}/signing-keys`, { jwksUri })).status]).toEqual([jwksUri, 400]);
  expect(requests).toEqual([]);
});
