import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

const TOKEN = 'a-token-for-the-scraper';
let service: TestService;
let proxied: TestService;
beforeAll(async () => {
  service = await startTestService({
    SLUICE_DEMO: 'off',
    SLUICE_ALLOWED_HOSTS: 'sluice.internal',
    SLUICE_METRICS_TOKEN: TOKEN,
  });
  proxied = await startTestService({ SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
});
afterAll(async () => {
  await service.close();
  await proxied.close();
});

const metrics = (headers: Record<string, string> = {}) => sendRaw(service.url, { method: 'GET', path: '/metrics', headers });

test('serves /metrics under known Hosts only, which defeats DNS rebinding', async () => {
  const { port } = new URL(service.url);
  for (const Host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost:1']) {
    const refused = await metrics({ Host });
    expect([Host, refused.status, refused.text]).toEqual([Host, 403, expect.stringContaining('origin_not_allowed')]);
    expect(refused.text).not.toContain('sluice_');
  }
  expect((await metrics({ Host: `localhost:${port}`, Origin: 'https://evil.example' })).status).toBe(403);
  for (const Host of [`localhost:${port}`, `127.0.0.1:${port}`, 'sluice.internal'])
    expect([Host, (await metrics({ Host })).text.includes('sluice_queries_running')]).toEqual([Host, true]);
  reportFigure(29, '/metrics under 4 foreign Hosts: refused');
});

test('accepts any Host from a scraper with the metrics token', async () => {
  expect((await metrics({ Host: '10.0.0.7:8080', Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  expect((await metrics({ Host: '10.0.0.7:8080', Authorization: 'Bearer wrong' })).status).toBe(404);
});

const HSTS = 'strict-transport-security';
const run = { QueryName: 'QD_None', Parameters: [] };

test('sends no Strict-Transport-Security over http, whatever scheme the caller claims', async () => {
  for (const path of ['/livez', '/', '/api/v1/account', '/api/v1/nothing']) {
    const response = await sendRaw(service.url, { method: 'GET', path, headers: { 'X-Forwarded-Proto': 'https' } });
    expect([path, response.headers[HSTS]]).toEqual([path, undefined]);
  }
  const executed = await service.as(admin).call('POST', '/api/v1/JsonBuilder/ExecuteQuery', run);
  expect(executed.headers.get(HSTS)).toBeNull();
});

test('sends Strict-Transport-Security behind a trusted proxy when it forwards https', async () => {
  const responses = async (headers: Record<string, string>) => [
    (await proxied.as().call('GET', '/livez', undefined, headers)).headers.get(HSTS),
    (await proxied.as(admin).call('POST', '/api/v1/JsonBuilder/ExecuteQuery', run, headers)).headers.get(HSTS),
  ];
  expect(await responses({ 'X-Forwarded-Proto': 'https' })).toEqual(Array(2).fill('max-age=31536000'));
  expect(await responses({ 'X-Forwarded-Proto': 'http' })).toEqual([null, null]);
  expect(await responses({})).toEqual([null, null]);
  reportFigure(29, 'Strict-Transport-Security on https, by own TLS and behind a trusted proxy, never on http');
});
