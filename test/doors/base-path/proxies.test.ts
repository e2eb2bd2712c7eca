import { afterEach, describe, expect, test } from 'vitest';
import { programProblem } from '../../support/debian-packages.ts';
import { freePort } from '../../support/http/free-port.ts';
import { readText } from '../../support/repository/source-files.ts';
import { type Proxy, type ProxyConfig, startHaproxy, startNginx } from '../../support/services/proxies.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

const guide = readText('docs/operations.md');
const examples = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([^\`]+)\`\`\``, 'g'))].map(([, text = '']) => text);

const nginx =
  (locations: string): ProxyConfig =>
  (port) =>
    `server { listen 127.0.0.1:${port};\n${locations}}`;

const haproxy =
  (rules: string): ProxyConfig =>
  (port) =>
    `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend web
  bind 127.0.0.1:${port}
${rules}`;

const cases: readonly (readonly [string, (config: ProxyConfig) => Promise<Proxy>, ProxyConfig])[] = [
  ...examples('nginx').map((text, at) => [`nginx ${at + 1}`, startNginx, nginx(text)] as const),
  ...examples('haproxy').flatMap((text) => [
    ['HAProxy', startHaproxy, haproxy(text)] as const,
    ['HAProxy without replace-path', startHaproxy, haproxy(text.replace(/.*replace-path.*\n/, ''))] as const,
  ]),
];

const problem = await programProblem('nginx', 'haproxy');

describe.skipIf(problem !== null)(`the proxies of docs/operations.md ${problem ?? ''}`.trim(), () => {
  const opened: { proxy?: Proxy; service?: TestService } = {};
  afterEach(async () => {
    await opened.service?.close();
    await opened.proxy?.remove();
  });

  test('are two of each program', () => expect(cases).toHaveLength(4));

  test.each(cases)('%s serves the service below the path', async (_name, start, config) => {
    const upstream = await freePort();
    const proxy = await start((port) => config(port).replaceAll('127.0.0.1:8080', `127.0.0.1:${upstream}`));
    opened.proxy = proxy;
    const settings = { SLUICE_DEMO: 'off', SLUICE_PORT: String(upstream), SLUICE_BASE_URL: `${proxy.url}/sluice` };
    const service = await startTestService(settings);
    opened.service = service;
    const page = await fetch(`${proxy.url}/sluice`, { headers: { Accept: 'text/html' } }); // nginx redirects to /sluice/
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('data-base="/sluice/"')]);
    const signedIn = await expectStatus(service.as().call('POST', '/api/v1/session', admin, { Origin: proxy.url }), 200);
    expect(signedIn.headers.getSetCookie()).toEqual([expect.stringContaining('; Path=/sluice;')]);
    for (const path of ['/docs', '/openapi.json', '/livez', '/mcp'])
      expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200]);
  });
});
