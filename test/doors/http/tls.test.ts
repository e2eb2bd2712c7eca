import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../../support/http/self-signed.ts';
import { ADMIN_PASSWORD, startTestService, type TestService } from '../../support/services/service.ts';

let folder: string;
let ca: string;
let service: TestService;
beforeAll(async () => {
  const { certificate, key } = await selfSigned();
  ca = certificate;
  folder = await mkdtemp(join(tmpdir(), 'sluice-https-'));
  const [cert, keyFile] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  await Promise.all([writeFile(cert, certificate), writeFile(keyFile, key, { mode: 0o600 })]);
  service = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TLS_CERT: cert, SLUICE_TLS_KEY: keyFile });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const call = async (method: string, path: string, body?: unknown): Promise<{ response: IncomingMessage; content: string }> => {
  const sent = request(service.url + path, { method, ca, agent: false, headers: { 'Content-Type': 'application/json' } });
  const answered = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const response = await answered;
  return { response, content: await text(response) };
};

test('serves https with a certificate and marks the cookie Secure', async () => {
  expect(service.url).toMatch(/^https:/);
  expect((await call('GET', '/readyz')).response.statusCode).toBe(200);
  const { response } = await call('POST', '/api/v1/session', { username: 'admin', password: ADMIN_PASSWORD });
  expect(response.statusCode).toBe(200);
  expect(response.headers['set-cookie']?.join()).toMatch(/HttpOnly; Secure; SameSite=Lax/);
});

test('does not respond to http on the same port', async () => {
  await expect(fetch(service.url.replace('https:', 'http:'))).rejects.toThrow();
});

test('sends Strict-Transport-Security with every response', async () => {
  const hsts = async (method: string, path: string, body?: unknown) =>
    (await call(method, path, body)).response.headers['strict-transport-security'];
  const responses = [
    await hsts('GET', '/'),
    await hsts('GET', '/livez'),
    await hsts('GET', '/api/v1/nothing'),
    await hsts('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName: 'QD_None', Parameters: [] }),
  ];
  expect(responses).toEqual(Array(4).fill('max-age=31536000'));
});
