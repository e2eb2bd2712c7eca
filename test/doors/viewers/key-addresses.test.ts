import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSigner, createVouchingApplication } from '../../support/people/viewers.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let keyServer: Server;
let inside: Server; // what nobody outside may reach
let service: TestService;
let root: Caller;
let queryName: string;
let published: unknown;
let redirect: string | null = null;
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
    if (redirect !== null) response.writeHead(302, { location: redirect }).end();
    else response.end(JSON.stringify(published));
  });
  insidePort = await listen(inside);
  const port = await listen(keyServer);
  address = `http://127.0.0.1:${port}/keys`;
  service = await startTestService({ SLUICE_OAUTH_PRIVATE_HOSTS: `127.0.0.1:${port}` });
  root = service.as(admin);
  ({ queryName } = await publish(root, { name: 'One', sql: 'select 1 as one' }));
});
afterAll(async () => {
  await service.close();
  for (const server of [inside, keyServer]) server.close();
});

let applications = 0;
async function statusOf(jwksUri: string, by = createSigner()): Promise<number> {
  const app = await createVouchingApplication(service, `host ${++applications}`);
  await expectStatus(root.call('PUT', `${app.path}/signing-keys`, { jwksUri }), 200);
  return (await service.as({ token: await app.tokenOf('ana', {}, by) }).run(queryName)).status;
}

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
])('what is no set of keys is a refused token: %j', async (document) => {
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
