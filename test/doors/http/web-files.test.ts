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
  'serves the page at %s with no-cache',
  async (path) => {
    const { status, headers, text } = await get(path, html);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(text).toContain('<div id="root">');
  },
);

test('allows scripts from its own files only, and no framing', async () => {
  const { headers, text } = await get('/', html);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=/);
});

test.each(['/api/v1/nothing', '/api', '/assets/nothing.js', '/assets/%00', '/mcp/nothing', '/metrics/x'])(
  'returns a problem instead of the page, even to browsers: %s',
  async (path) => {
    const { status, headers } = await get(path, html);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
  },
);

test('returns a problem to clients that do not accept HTML', async () => {
  expect((await get('/queries')).status).toBe(404);
  expect((await service.as().call('POST', '/queries', {}, html)).status).toBe(404);
  expect((await get('/livez', html)).headers.get('content-type')).toContain('application/json');
});

test('serves hashed files with a one-year cache lifetime and the requested compression', async () => {
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
