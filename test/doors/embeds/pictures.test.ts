import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFieldProblem } from '../../support/http/problem.ts';
import { type EmbedLink, embedOf, getEmbedUrl, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_MAX: '50', SLUICE_EMBED_TIMEOUT: '1' });
  author = service.as(admin);
});
afterAll(() => service.close());

const shown = async (name: string, sql: string, settings = {}): Promise<EmbedLink> =>
  embedOf(author, { queryName: (await publish(author, { name, sql })).queryName, ...settings });
const image = (link: EmbedLink, format = 'svg', headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1/EmbeddedChart/RenderImage?token=${link.Token}&format=${format}`, { headers });
const svgOf = async (link: EmbedLink) => (await image(link)).text();
const sizeOf = (svg: string) => /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number);
const pngSize = async (link: EmbedLink) => {
  const bytes = Buffer.from(await (await image(link, 'png')).arrayBuffer());
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};

describe('patterns', () => {
  let queryName: string;
  beforeAll(async () => {
    queryName = (await publishChartQuery(author, 'Patterned')).queryName;
  });

  it.each(['bar', 'pie', 'radialBar'])('are drawn in a %s when requested, on the page and in pictures', async (chartType) => {
    const [withThem, without] = [
      await embedOf(author, { queryName, chartType, patterns: 'true' }),
      await embedOf(author, { queryName, chartType }),
    ];
    expect(await svgOf(withThem)).toContain('<pattern ');
    expect(await svgOf(without)).not.toContain('<pattern ');
    const pages = [withThem, without].map(async ({ Token }) => (await expectStatus(view(service.as(), Token), 200)).text);
    const [page = '', plain = ''] = await Promise.all(pages);
    const [, id = ''] = /<pattern [^>]*id="([^"]+)"/.exec(page) ?? [];
    expect(page).toContain(`url(#${id})`);
    expect(page).toContain('"patterns":true'); // the script draws them as well
    expect(plain).not.toContain('<pattern ');
    expect(plain).toContain('"patterns":false');
  });

  it('are stored with the embed and used with new tokens', async () => {
    const link = await embedOf(author, { queryName, chartType: 'pie', patterns: 'True' });
    const { items } = (await author.call<{ items: { id: string; chart: object }[] }>('GET', '/api/v1/embeds')).json;
    expect(items.find(({ id }) => id === link.Id)?.chart).toMatchObject({ patterns: true });
    const renewed = await expectStatus(author.call<EmbedLink>('POST', `/api/v1/embeds/${link.Id}/regenerate`), 200);
    expect(await svgOf(renewed.json)).toContain('<pattern ');
    await expectFieldProblem(getEmbedUrl(author, { queryName, patterns: 'dots' }), 'field_invalid', 'patterns');
  });
});

describe('a picture outside the page', () => {
  it('has a note below the chart when rows are left out, and is higher by the note', async () => {
    const link = await shown('Long', "select 'n' || i as label, i as value from range(51) r(i)", { chartHeight: '300' });
    const svg = await svgOf(link);
    expect(svg).toContain('>The largest labels are shown; 31 smaller ones are combined as “Others (31)”.</text>');
    expect(svg).toMatch(/aria-label="[^"]*combined as “Others/);
    const [width = 0, height = 0] = sizeOf(svg) ?? [];
    expect(width).toBe(960);
    expect(height).toBeGreaterThan(310);
    expect(await pngSize(link)).toEqual([1920, 2 * height]);
  });

  it('says what was left out', async () => {
    const sql = "select * from (values ('a', 3), ('b', -2), ('c', 5)) t(label, value)";
    const svg = await svgOf(await shown('Below zero', sql, { chartType: 'pie' }));
    expect(svg).toMatch(/<text [^>]*>1 negative value cannot be shown in this chart\.<\/text>/);
  });

  it('is as high as the chart without notes', async () => {
    const link = await shown('Whole', "select 'n' || i as label, i as value from range(5) r(i)");
    expect(sizeOf(await svgOf(link))).toEqual([960, 400]);
  });

  it('returns 200 with a message when there are no rows', async () => {
    const link = await shown('None', "select 'x' as label, 1 as value from range(0)");
    const response = await image(link);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('>No rows</text>')]);
    expect((await image(link, 'png')).status).toBe(200);
  });
});

describe('a picture of a failed chart', () => {
  it('shows an error without details in either format', async () => {
    const link = await shown('Failing', "select 'x' as label, error('canary of the database') as value");
    const svg = await image(link);
    expect([svg.status, svg.headers.get('content-type')]).toEqual([500, 'image/svg+xml; charset=utf-8']);
    const text = await svg.text();
    expect(text).toContain('>Chart not drawn</text>');
    expect(text).not.toContain('canary');
    const png = await image(link, 'png');
    expect([png.status, png.headers.get('content-type')]).toEqual([500, 'image/png']);
    expect(Buffer.from(await png.arrayBuffer()).toString('latin1', 1, 4)).toBe('PNG');
  });

  it('is an HTML page for clients that accept HTML', async () => {
    const link = await shown('Opened', "select 'x' as label, error('canary') as value");
    const page = await image(link, 'png', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([page.status, page.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain(page.headers.get('x-request-id'));
    const asImage = await image(link, 'png', { Accept: 'image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8' });
    expect(asImage.headers.get('content-type')).toBe('image/png');
  });
});
