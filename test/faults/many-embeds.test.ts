import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../support/faults/figure.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { publish } from '../support/queries/publish.ts';
import { type Caller, type TestService, admin, startTestService } from '../support/services/service.ts';

// the long form: TEST_EMBEDS=50
const EMBEDS = Number(process.env.TEST_EMBEDS ?? 50);
const HEAVY = process.env.TEST_EMBEDS === undefined ? 8 : 18;

let service: TestService;
let viewer: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_MAX: '20000' });
  viewer = service.as();
});
afterAll(() => service.close());

const drawnIn = (page: string): number => page.match(/<svg role="img"/g)?.length ?? 0;

const linksOf = async (caller: Caller, count: number, settings: Record<string, string>): Promise<EmbedLink[]> => {
  const links: EmbedLink[] = [];
  for (let n = 0; n < count; n++) links.push(await embedOf(caller, { title: `Chart ${n}`, ...settings }));
  return links;
};

test(`${EMBEDS} embeds of one issuer, opened at once, all show one picture each`, { timeout: 300_000 }, async () => {
  const { queryName } = await publishChartQuery(service.as(admin), 'Fifty');
  const issuer = await createQueryUser(service, 'fifty');
  const links = await linksOf(issuer.caller, EMBEDS, { queryName });
  const pages = await Promise.all(links.map(({ Token }) => view(viewer, Token)));
  expect(pages.map(({ status, text }) => [status, drawnIn(text)])).toEqual(links.map(() => [200, 1]));
  reportFigure(39, `${EMBEDS} embeds of one issuer at once: all ${pages.length} drawn`);
});

test(`${HEAVY} heavy charts of one user do not delay the chart of another`, { timeout: 600_000 }, async () => {
  const author = service.as(admin);
  const heavySql = 'select i as label, i * i % 977 as value from range(5000) r(i)';
  const { queryName: heavy } = await publish(author, { name: 'Heavy', sql: heavySql });
  const { queryName: light } = await publishChartQuery(author, 'Light');
  const [one, other] = [await createQueryUser(service, 'heavy'), await createQueryUser(service, 'light')];
  const scatters = await linksOf(one.caller, HEAVY, { queryName: heavy, chartType: 'scatter' });
  const pie = await embedOf(other.caller, { queryName: light, chartType: 'pie' });

  const answered: string[] = [];
  // the picture alone, because a page is complete without it
  const drawPicture = async ({ Token }: EmbedLink): Promise<number> =>
    (await viewer.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}`)).status;
  const opened = scatters.map(async (link) => {
    const status = await drawPicture(link);
    answered.push('scatter chart');
    return status;
  });
  // the queue is full of scatter charts
  await Promise.race(opened);
  const before = answered.length;
  expect(await drawPicture(pie)).toBe(200);
  const between = answered.length - before;
  expect(between, 'scatter charts that were drawn before the pie').toBeLessThanOrEqual(3);
  expect(await Promise.all(opened)).toEqual(scatters.map(() => 200));
  reportFigure(39, `${HEAVY} scatter charts of one user: ${between} were drawn before the pie of another`);
});
