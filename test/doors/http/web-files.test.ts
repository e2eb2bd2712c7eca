import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/services/service.ts';

const html = { Accept: 'text/html,application/xhtml+xml' };
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => service.as().call('GET', path, undefined, headers);

test.each(['/', '/queries', '/queries/abc/edit?search=x', '/no-such-page'])(
  'serves the page at %s, never from a cache unasked',
  async (path) => {
    const { status, headers, text } = await get(path, html);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(text).toContain('<div id="root">');
  },
);

test('lets scripts come from its own files alone, and nobody frame it', async () => {
  const { headers, text } = await get('/', html);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/);
});

test.each(['/api/v1/nothing', '/api', '/assets/nothing.js', '/mcp/nothing', '/metrics/x'])(
  'what is no page is a problem, whatever the browser accepts: %s',
  async (path) => {
    const { status, headers } = await get(path, html);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
  },
);

test('who asks for no page gets none', async () => {
  expect((await get('/queries')).status).toBe(404);
  expect((await service.as().call('POST', '/queries', {}, html)).status).toBe(404);
  expect((await get('/livez', html)).headers.get('content-type')).toContain('application/json');
});

test('serves hashed files for a year, compressed as the browser likes', async () => {
  const { text } = await get('/', html);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
  for (const coding of ['br', 'gzip']) {
    const { status, headers } = await get(script, { 'Accept-Encoding': coding });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('javascript');
    expect(headers.get('content-encoding')).toBe(coding);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});
