import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../support/queries/embeds.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Two services on one PostgreSQL and one data folder. */
describe.skipIf(postgresProblem() !== null)('embeds of two replicas', () => {
  let here: TestService;
  let there: TestService;
  let root: Caller;
  let queryName: string;
  beforeAll(async () => {
    const url = await createDatabase();
    here = await startTestService({ SLUICE_METADATA_URL: url });
    there = await startTestService({ SLUICE_METADATA_URL: url, SLUICE_DATA: here.folder });
    root = here.as(admin);
    ({ queryName } = await publishChartQuery(root, 'Everywhere'));
  });
  afterAll(async () => {
    await there?.close();
    await here?.close();
  });

  it('are shown by both, and their old tokens are refused by both once they are regenerated', async () => {
    const link = await embedOf(root, { queryName });
    const both = (token: string) => Promise.all([here, there].map(async (service) => (await view(service.as(), token)).status));
    expect(await both(link.Token)).toEqual([200, 200]);

    let over = false;
    const afterwards: number[] = [];
    const loading = Array.from({ length: 4 }, async (_, index) => {
      for (let round = 0; round < 200 && afterwards.length < 40; round++) {
        const begunAfter = over;
        const { status } = await view((index % 2 ? here : there).as(), link.Token);
        if (begunAfter) afterwards.push(status);
      }
    });
    const { json } = await expectStatus(root.call<EmbedLink>('POST', `/api/v1/embeds/${link.Id}/regenerate`), 200);
    over = true;
    await Promise.all(loading);
    expect(new Set(afterwards)).toEqual(new Set([401]));
    expect(await both(json.Token)).toEqual([200, 200]);

    await expectStatus(there.as(admin).call('DELETE', `/api/v1/embeds/${link.Id}`), 204);
    expect(await both(json.Token)).toEqual([401, 401]);
  });

  it('count the views on both', async () => {
    const link = await embedOf(root, { queryName });
    for (const service of [here, there, there]) await expectStatus(view(service.as(), link.Token), 200);
    const list = async () => (await root.call<{ items: { id: string; views: number }[] }>('GET', '/api/v1/embeds')).json.items;
    const counted = (items: { id: string; views: number }[]) => items.find(({ id }) => id === link.Id)?.views;
    expect(counted(await waitUntil(list, (items) => counted(items) === 3, 30_000))).toBe(3);
  });
});
