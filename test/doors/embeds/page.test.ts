import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem } from '../../support/http/problem.ts';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

let service: TestService;
let author: Caller;
let anyone: Caller;
beforeAll(async () => {
  service = await startTestService({
    SLUICE_ROWS_MAX: '50',
    SLUICE_FRAME_ANCESTORS: "'self' https://*.example.com",
    SLUICE_EMBED_TIMEOUT: '1',
  });
  author = service.as(admin);
  anyone = service.as();
});
afterAll(() => service.close());

const embedQuery = async (name: string, sql: string, options = {}, more = {}): Promise<EmbedLink> =>
  embedOf(author, { queryName: (await publish(author, { name, sql, ...more })).queryName, ...options });
const readPage = async (link: EmbedLink) => (await expectStatus(view(anyone, link.Token), 200)).text;
const dataOf = (html: string) => JSON.parse(/<script id="data"[^>]*>([^<]*)<\/script>/.exec(html)?.[1] ?? 'null');
const fetchImage = (link: EmbedLink, options = '') =>
  fetch(`${service.url}/api/v1/EmbeddedChart/RenderImage?token=${link.Token}${options}`);

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1';

describe('the page of a chart', () => {
  it('is complete in one response with a strict Content-Security-Policy', async () => {
    const link = await embedOf(author, { queryName: (await publishChartQuery(author, 'Whole')).queryName, title: 'Ein Titel' });
    const { headers, text } = await expectStatus(view(anyone, link.Token), 200);
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /script-src 'nonce-([A-Za-z0-9_-]{20,})'/.exec(policy)?.[1];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      'img-src data: blob:',
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self' https://*.example.com",
      'sandbox allow-scripts allow-downloads',
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    // a picture, a table, and nothing inline that the policy would block
    expect(text.match(/<svg role="img"/g)).toHaveLength(1);
    expect(text).toContain('<caption>Ein Titel: data</caption>');
    expect(text).toContain('<td dir="auto">item 3</td><td dir="auto">30</td>');
    expect(text).not.toMatch(/ style="| on\w+="|javascript:/);
    for (const [, attributes = ''] of text.matchAll(/<(?:script|style)([^>]*)>/g))
      expect(attributes).toContain(`nonce="${nonce}"`);
    // only the two columns of the chart are sent
    expect(text).not.toContain('hidden canary');
    const again = await view(anyone, link.Token);
    expect(again.headers.get('content-security-policy')).not.toBe(policy);
  });

  it('has the requested tools', async () => {
    const { queryName } = await publishChartQuery(author, 'Tools');
    const labels = async (options: Record<string, string>) =>
      [
        ...(await readPage(await embedOf(author, { queryName, ...options }))).matchAll(/data-act="[^"]+" aria-label="([^"]+)"/g),
      ].map(([, label]) => label);
    const downloads = ['Download PNG', 'Download SVG'];
    expect(await labels({})).toEqual(['Zoom in', 'Zoom out', 'Pan left', 'Pan right', 'Reset', ...downloads]);
    expect(await labels({ enableZoom: 'false' })).toEqual(downloads);
    expect(await labels({ showToolbar: 'false' })).toEqual([]);
  });

  it('has text of at least 11 pixels without scripts, also on a phone', async () => {
    const { queryName } = await publishChartQuery(author, 'Readable');
    for (const chartType of ['bar', 'pie', 'polarArea', 'radar', 'radialBar', 'heatmap', 'treemap']) {
      const { Token } = await embedOf(author, { queryName, chartType, theme: 'light' });
      const { text } = await expectStatus(view(anyone, Token, '', { 'User-Agent': PHONE }), 200);
      const narrow = text.slice(text.indexOf('<div id="drawn" class="narrow">'), text.indexOf('<div id="live"'));
      expect(narrow).toContain('width="360"'); // not scaled on a screen of 380 pixels
      const sizes = [...narrow.matchAll(/font-size="(\d+)px"/g)].map(([, size]) => Number(size));
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(11);
    }
  });

  it('has a dark picture when the author chose the dark theme', async () => {
    const { queryName } = await publishChartQuery(author, 'Themes');
    const dark = await readPage(await embedOf(author, { queryName, theme: 'dark' }));
    expect(dark).toContain('<html lang="en" data-theme="dark">');
    expect(dark).toContain('fill="#16181d"');
  });

  it('has no id twice', async () => {
    const { queryName } = await publishChartQuery(author, 'Shades');
    const html = await readPage(await embedOf(author, { queryName, chartType: 'area' }));
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
    const referenced = [...html.matchAll(/url\(#([^)]+)\)/g)].map(([, id = '']) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(referenced.length).toBeGreaterThan(0);
    expect(referenced.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('loads one script with a content hash in its name, cacheable for a year', async () => {
    const html = await readPage(await embedOf(author, { queryName: (await publishChartQuery(author, 'Script')).queryName }));
    const src = /<script nonce="[^"]+" src="([^"]+)"/.exec(html)?.[1] ?? '';
    const script = await fetch(new URL(src, `${service.url}/api/v1/EmbeddedChart/RenderByToken`), {
      headers: { 'Accept-Encoding': 'gzip' },
    });
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect(Number(script.headers.get('content-length'))).toBeLessThan(270_000);
    expect((await script.text()).startsWith('(function')).toBe(true);
    expect((await anyone.call('GET', '/embed/embed-other.js')).status).toBe(404);
    expect((await anyone.call('GET', '/embed/.sources')).status).toBe(404);
  });

  it('draws all rows of a result, not those of a page, and refuses a part of them', async () => {
    const html = await readPage(await embedQuery('Many', "select 'n' || i % 2 as label, i as value from range(20001) r(i)"));
    expect(dataOf(html).rows).toEqual([
      ['n0', 100_010_000],
      ['n1', 100_000_000],
    ]);
    expect(html).toContain('Sum of 20,001 rows by “label”.');
    const bounded = await readPage(
      await embedQuery('Bounded', "select 'n' || i as label, i as value from range(9) r(i)", {}, { maxRows: 3 }),
    );
    expect(bounded).toContain('Too many rows to draw');
    expect(bounded).toContain('at most 3 rows (its maxRows)');
    const counted = { labelColumn: 'label', dataColumn: 'label', aggregate: 'count', timeUnit: 'none' };
    expect(
      dataOf(await readPage(await embedQuery('Counted', "select 'n' || i % 2 as label, i as value from range(9) r(i)", counted))),
    ).toMatchObject({
      names: ['label', 'label (count)'],
      rows: [
        ['n0', 5],
        ['n1', 4],
      ],
    });
  });

  it('shows the notes of the chart', async () => {
    const html = await readPage(await embedQuery('Twice', "select 'same' as label, i as value from range(4) r(i)"));
    expect(html).toMatch(/<p id="notes" dir="auto">Sum of 4 rows by “label”\.<\/p>/);
  });

  it('returns 200 with a message when there are no rows', async () => {
    const html = await readPage(await embedQuery('Empty', "select 'x' as label, 1 as value from range(0)"));
    expect(html).toContain('No rows');
  });

  it('draws one column against itself, and columns with unusual names', async () => {
    await readPage(await embedQuery('Itself', 'select i as value from range(5) r(i)', { labelColumn: 'value' }));
    const html = await readPage(
      await embedQuery('Proto', 'select \'a\' as "__proto__", 2 as "constructor"', {
        labelColumn: '__proto__',
        dataColumn: 'constructor',
      }),
    );
    expect(dataOf(html).rows).toEqual([['a', 2]]);
  });
});

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'-alert(1)-'",
  '</script><script>alert(1)</script>',
  '<!--<script>',
  '</title><svg onload=alert(1)>',
  '</style><script>alert(1)</script>',
  '\u2028alert(1)\u2029',
  '#{alert(1)}{{alert(1)}}',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  'javascript:alert(1)',
  ']]><script>alert(1)</script>',
];

describe('hostile texts', () => {
  it.each(attacks)('%j remains text in title, columns and cells', async (attack) => {
    const quotedName = `"${attack.replaceAll('"', '""')}"`;
    const quotedCell = `'${attack.replaceAll("'", "''")}'`;
    const name = `Attack ${attacks.indexOf(attack)}`;
    const title = attack.replace(/[\u2028\u2029]/g, ' ');
    const link = await embedQuery(name, `select ${quotedCell} as label, 3 as ${quotedName}`, { title, dataColumn: attack });
    const html = await readPage(link);
    const svg = await (await fetchImage(link)).text();
    expect(html.match(/<script/g)).toHaveLength(2);
    expect(dataOf(html)).toMatchObject({ rows: [[attack, 3]], config: { title, dataColumn: attack } });
    for (const text of [html.replace(/<script id="data".*<\/script>/, ''), svg]) {
      expect(text).not.toMatch(/<(?:img|iframe|object|svg onload)|<script>|alert\(1\)<\/script>/);
      for (const [tag] of text.matchAll(/<[a-z][^>]*>/g))
        expect(tag.replace(/"[^"]*"/g, '')).not.toMatch(/\son(?:error|load)\s*=/i);
    }
    expect(link.IframeCode).not.toMatch(/<script|<img|<svg/);
  });
});

describe('the picture of a chart', () => {
  it('is served as SVG, or as PNG with twice the resolution', async () => {
    const link = await embedOf(author, {
      queryName: (await publishChartQuery(author, 'Picture')).queryName,
      chartHeight: '300',
      title: 'Bild',
    });
    const svg = await fetchImage(link);
    expect(svg.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(svg.headers.get('cache-control')).toBe('no-store');
    expect(svg.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(await svg.text()).toMatch(/^<svg role="img" aria-label="Bar Chart: Bild[^>]*width="960" height="300"/);
    const png = await fetchImage(link, '&format=png');
    expect(png.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await png.arrayBuffer());
    expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1920, 600]);
    const data = bytes.indexOf('IDAT');
    expect(
      inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)), { finishFlush: 2 }).length,
    ).toBeGreaterThan(0);
    await expectFieldProblem(
      anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${link.Token}&format=gif`),
      'field_invalid',
      'format',
    );
  });

  it('is audited as a picture', async () => {
    const { queryName } = await publishChartQuery(author, 'Pictured');
    const link = await embedOf(author, { queryName });
    const response = await anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${link.Token}`);
    expect(await auditOf(author, response)).toMatchObject({
      user: 'admin',
      action: 'embed.image',
      channel: 'embed',
      query: queryName,
      rows: 5,
    });
  });
});

describe('the rows of a chart', () => {
  it('are shared by parallel views, each of which is audited', async () => {
    const link = await embedQuery('Chance', "select 'x' as label, random() as value");
    const views = await Promise.all(Array.from({ length: 30 }, () => view(anyone, link.Token)));
    const seen = new Set(views.map(({ text }) => JSON.stringify(dataOf(text).rows)));
    expect(seen.size).toBe(1);
    const entries = await Promise.all(views.map((each) => auditOf(author, each)));
    expect(entries.every((entry) => entry.outcome === 'ok' && entry.rows === 1)).toBe(true);
    expect(entries.filter((entry) => entry.cached === false)).toHaveLength(1);
  });

  it('are those of the active version', async () => {
    const query = await publish(author, { name: 'Versions', sql: "select 'x' as label, 1 as value" });
    const link = await embedOf(author, { queryName: query.queryName });
    expect(dataOf(await readPage(link)).rows).toEqual([['x', 1]]);
    const change = { sql: "select 'x' as label, 2 as value" };
    await expectStatus(author.call('PATCH', `/api/v1/queries/${query.id}`, change), 200);
    for (const move of ['validate', 'activate'])
      await expectStatus(author.call('POST', `/api/v1/queries/${query.id}/${move}`), 200);
    expect(dataOf(await readPage(link)).rows).toEqual([['x', 2]]);
  });

  it('produce an error page when they no longer have the columns of the chart', async () => {
    const query = await publish(author, { name: 'Outdated', sql: "select 'x' as label, 1 as value" });
    const link = await embedOf(author, { queryName: query.queryName });
    await expectStatus(author.call('PATCH', `/api/v1/queries/${query.id}`, { sql: "select 'x' as label, 1 as amount" }), 200);
    for (const move of ['validate', 'activate'])
      await expectStatus(author.call('POST', `/api/v1/queries/${query.id}/${move}`), 200);
    const response = await view(anyone, link.Token);
    expect(response.status).toBe(409);
    expect(response.text).toContain('has changed, and the chart no longer matches it');
  });

  it('produce an error page without details when the query fails', async () => {
    const failing = await view(
      anyone,
      (await embedQuery('Failing', "select 'x' as label, error('canary of the database') as value")).Token,
    );
    expect(failing.status).toBe(500);
    expect(failing.text).toContain('Something went wrong while this chart was drawn');
    expect(failing.text).not.toContain('canary');
    expect(service.log().join('')).toContain('canary of the database');
    const endless =
      "select 'x' as label, count(*) as value from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7";
    const slow = await view(anyone, (await embedQuery('Endless', endless)).Token);
    expect(slow.status).toBe(500);
    expect(slow.text).toContain('took too long');
    const running = () => author.call<{ items: unknown[] }>('GET', '/api/v1/executions');
    expect((await waitUntil(running, ({ json }) => json.items.length === 0)).json.items).toEqual([]);
  });

  it('are no longer queried after all viewers have disconnected', async () => {
    const patient = await startTestService({ SLUICE_EMBED_TIMEOUT: '60' });
    try {
      const root = patient.as(admin);
      const sql = "select 'x' as label, count(*) as value from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7";
      const link = await embedOf(root, { queryName: (await publish(root, { name: 'Left', sql })).queryName });
      const leaving = new AbortController();
      const left = fetch(link.EmbedUrl, { signal: leaving.signal }).catch(() => 'left');
      const running = () => root.call<{ items: { channel: string; user: string }[] }>('GET', '/api/v1/executions');
      expect((await waitUntil(running, ({ json }) => json.items.length > 0)).json.items).toMatchObject([
        { channel: 'embed', user: 'admin' },
      ]);
      leaving.abort();
      expect(await left).toBe('left');
      expect((await waitUntil(running, ({ json }) => json.items.length === 0)).json.items).toEqual([]);
    } finally {
      await patient.close();
    }
  });
});
