import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { type EmbedLink, embedOf, getEmbedUrl, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { executeInStoreOf } from '../../support/services/metadata-store.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface EmbedItem {
  readonly id: string;
  readonly queryName: string;
  readonly title: string;
  readonly issuer: string;
  readonly expirationDays: number | null;
  readonly expiresAt: string | null;
  readonly views: number;
  readonly lastViewedAt: string | null;
  readonly embedUrl: string | null;
  readonly iframeCode: string | null;
}

let service: TestService;
let root: Caller;
let ann: Account;
let bob: Account;
let queryName: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  queryName = (await publishChartQuery(root, 'Managed')).queryName;
  [ann, bob] = (await Promise.all(
    ['ann', 'bob'].map((name) => createUser(service, name, { roles: ['Query User'], databases: ['*'] })),
  )) as [Account, Account];
});
afterAll(() => service.close());

const embed = (person: Account, settings = {}) => embedOf(person.caller, { queryName, ...settings });
const list = async (caller: Caller, query = '') =>
  (await expectStatus(caller.call<List<EmbedItem>>('GET', `/api/v1/embeds${query}`), 200)).json;
const regenerate = (caller: Caller, id: string, body?: unknown) =>
  caller.call<EmbedLink>('POST', `/api/v1/embeds/${id}/regenerate`, body);

describe('the picture of an embed', () => {
  it('is the last one that a viewer saw, also after a restart, for an issuer who may run the query', async () => {
    const { Id, Token } = await embed(ann);
    const picture = (caller: Caller) => caller.call<{ svg: string | null }>('GET', `/api/v1/embeds/${Id}/picture`);
    expect((await picture(ann.caller)).json).toEqual({ svg: null });
    await view(service.as(), Token);
    expect((await picture(ann.caller)).json.svg).toMatch(/^<svg role="img"/);
    await service.restart();
    expect((await picture(ann.caller)).json.svg).toMatch(/^<svg role="img"/);
    await expectStatus(root.call('PATCH', `/api/v1/users/${ann.id}`, { databases: [] }), 200);
    expect((await picture(ann.caller)).json).toEqual({ svg: null });
    await expectStatus(root.call('PATCH', `/api/v1/users/${ann.id}`, { databases: ['*'] }), 200);
    await ann.caller.call('PATCH', `/api/v1/embeds/${Id}`, { options: { title: 'Another' } });
    expect((await picture(ann.caller)).json).toEqual({ svg: null });
    await service.as().call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}`);
    expect((await picture(ann.caller)).json.svg).toContain('Another');
    await ann.caller.call('PATCH', `/api/v1/embeds/${Id}`, { options: { title: 'Only a PNG' } });
    await service.as().call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}&format=png`);
    expect((await picture(ann.caller)).json.svg).toContain('Only a PNG');
    await expectProblem(picture(bob.caller), 404, 'not_found');
    await expectProblem(picture(root), 404, 'not_found');
    await ann.caller.call('DELETE', `/api/v1/embeds/${Id}`);
  });
});

describe('the list of embeds', () => {
  it('shows users their own embeds with links, newest first, and an Administrator all without links', async () => {
    const first = await embed(ann, { title: 'First' });
    const second = await embed(ann, { title: 'Second', expirationDays: 'never' });
    const others = await embed(bob);
    const { items } = await list(ann.caller);
    expect(items.map(({ title }) => title)).toEqual(['Second', 'First']);
    expect(items[0]).toMatchObject({
      id: second.Id,
      queryName,
      issuer: 'ann',
      expirationDays: null,
      expiresAt: null,
      embedUrl: second.EmbedUrl,
      iframeCode: second.IframeCode,
      views: 0,
      lastViewedAt: null,
    });
    const all = await list(root);
    expect(all.items.map(({ id }) => id)).toEqual([others.Id, second.Id, first.Id]);
    expect(all.items.map(({ embedUrl }) => embedUrl)).toEqual([null, null, null]);
    expect((await list(root, '?search=FIRST')).items.map(({ id }) => id)).toEqual([first.Id]);
    const page = await list(root, '?limit=2');
    expect((await list(root, `?limit=2&cursor=${page.nextCursor}`)).items.map(({ id }) => id)).toEqual([first.Id]);
  });

  it('counts views', async () => {
    const link = await embed(ann);
    for (let views = 0; views < 3; views++) await expectStatus(view(service.as(), link.Token), 200);
    await expectStatus(service.as().call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${link.Token}`), 200);
    await view(service.as(), `${link.Token}x`);
    const find = async () => (await list(ann.caller)).items.find(({ id }) => id === link.Id);
    const item = await waitUntil(find, (found) => found?.views === 4, 30_000);
    expect(item?.views).toBe(4);
    expect(Math.abs(Date.parse(item?.lastViewedAt ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('is available to users and keys that are not narrowed', async () => {
    await expectProblem(service.as().call('GET', '/api/v1/embeds'), 401, 'credential_missing');
    const [whole, narrow] = [await createKey(ann.caller), await createKey(ann.caller, { queries: [queryName] })];
    await list(service.as({ key: whole.key }));
    await expectProblem(service.as({ key: narrow.key }).call('GET', '/api/v1/embeds'), 403, 'credential_not_suitable');
  });
});

describe('regenerating', () => {
  const daysOf = ({ ExpiresAt }: EmbedLink) =>
    ExpiresAt === null ? null : Math.round((Date.parse(ExpiresAt) - Date.now()) / 86_400_000);

  it.each([
    [undefined, 30],
    [{}, 30],
    [{ expirationDays: 90 }, 90],
    [{ expirationDays: 'never' }, null],
    [{ expirationDays: 'NEVER' }, null],
    [{ expirationDays: null }, null],
  ])('with the body %j gives %j days', async (body, days) => {
    const link = await embed(ann, { expirationDays: '30' });
    const { json } = await expectStatus(regenerate(ann.caller, link.Id, body), 200);
    expect(json).toEqual({
      Id: link.Id,
      Token: expect.any(String),
      EmbedUrl: expect.stringContaining(json.Token),
      IframeCode: expect.stringContaining(json.Token),
      ExpiresAt: days === null ? null : expect.any(String),
    });
    expect(json.Token).not.toBe(link.Token);
    expect(daysOf(json)).toBe(days);
    // the current lifetime is the default of the next regeneration
    expect(daysOf((await expectStatus(regenerate(ann.caller, link.Id), 200)).json)).toBe(days);
  });

  it.each([0, -1, 3651, 1.5, '30', 'soon', true])('refuses %j days', async (expirationDays) => {
    const link = await embed(ann);
    await expectFieldProblem(regenerate(ann.caller, link.Id, { expirationDays }), 'field_invalid', 'expirationDays');
    await expectStatus(view(service.as(), link.Token), 200);
  });

  it('is allowed to the issuer and Administrators; others get 404', async () => {
    const link = await embed(ann);
    for (const act of [() => regenerate(bob.caller, link.Id), () => bob.caller.call('DELETE', `/api/v1/embeds/${link.Id}`)]) {
      await expectProblem(act(), 404, 'not_found');
    }
    await expectProblem(regenerate(ann.caller, 'none'), 404, 'not_found');
    await expectProblem(regenerate(service.as(), link.Id), 401, 'credential_missing');
    await expectStatus(view(service.as(), link.Token), 200);
    const { json } = await expectStatus(regenerate(root, link.Id), 200);
    expect((await view(service.as(), link.Token)).status).toBe(401);
    await expectStatus(view(service.as(), json.Token), 200);
    expect((await list(ann.caller)).items.find(({ id }) => id === link.Id)?.embedUrl).toBe(json.EmbedUrl);
    await expectStatus(root.call('DELETE', `/api/v1/embeds/${link.Id}`), 204);
    expect((await view(service.as(), json.Token)).status).toBe(401);
    await expectProblem(root.call('DELETE', `/api/v1/embeds/${link.Id}`), 404, 'not_found');
  });

  it('still requires embeds.create', async () => {
    const person = await createUser(service, 'demoted', { roles: ['Query User'], databases: ['*'] });
    const link = await embed(person);
    await expectStatus(root.call('PATCH', `/api/v1/users/${person.id}`, { roles: ['Auditor'] }), 200);
    await expectProblem(regenerate(person.caller, link.Id), 403, 'permission_denied');
    await expectStatus(person.caller.call('DELETE', `/api/v1/embeds/${link.Id}`), 204);
  });

  it('is audited, like revoking', async () => {
    const link = await embed(ann);
    const renewed = await expectStatus(regenerate(ann.caller, link.Id, { expirationDays: 5 }), 200);
    const usual = { user: 'ann', query: queryName, outcome: 'ok', channel: 'management' };
    expect(await auditOf(root, renewed)).toMatchObject({
      ...usual,
      action: 'embed.regenerate',
      parameters: { embed: link.Id, days: 5 },
    });
    const revoked = await expectStatus(ann.caller.call('DELETE', `/api/v1/embeds/${link.Id}`), 204);
    expect(await auditOf(root, revoked)).toMatchObject({ ...usual, action: 'embed.revoke', parameters: { embed: link.Id } });
    const refused = await regenerate(bob.caller, link.Id);
    expect(await auditOf(root, refused)).toMatchObject({ user: 'bob', action: 'embed.regenerate', outcome: 'refused' });
  });
});

it('a user has at most a thousand embeds', async () => {
  const cyd = await createUser(service, 'cyd', { roles: ['Query User'], databases: ['*'] });
  const { Id } = await embed(cyd);
  const columns =
    'user_id, query_name, parameters, chart, search_text, stamp, days, created_at, issued_at, expires_at, views, last_viewed_at';
  const numbers = 'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 998)';
  await executeInStoreOf(
    service,
    `insert into embeds (id, ${columns}) ${numbers} select id || '-' || n, ${columns} from embeds, numbers where id = '${Id}'`,
  );
  await embed(cyd);
  await expectProblem(getEmbedUrl(cyd.caller, { queryName }), 409, 'limit_reached');
  await embed(bob);
});

describe('a change of an embed', () => {
  const change = (caller: Caller, id: string, body: unknown) =>
    caller.call<EmbedItem & { chart: object; imageUrl: string }>('PATCH', `/api/v1/embeds/${id}`, body);

  it('keeps the address and shows the new chart', async () => {
    const { Id, Token } = await embed(ann, { title: 'Before' });
    expect((await view(service.as(), Token)).text).toContain('Before');
    const options = { title: 'After', chartType: 'LINE', showGrid: false, theme: 'dark', frameAncestors: 'https://a.example' };
    const changed = await expectStatus(change(ann.caller, Id, { expirationDays: 'never', options }), 200);
    const { json } = changed;
    expect(json).toMatchObject({ id: Id, title: 'After', expiresAt: null, expirationDays: null });
    expect(json.chart).toMatchObject({ ...options, chartType: 'line', labelColumn: 'label' });
    const page = await view(service.as(), Token);
    expect(page.text).toContain('After');
    expect(page.headers.get('content-security-policy')).toMatch(/, frame-ancestors https:\/\/a\.example$/);
    expect(json.imageUrl).toBe(`${service.url}/api/v1/EmbeddedChart/RenderImage?token=${Token}`);
    expect(await auditOf(root, changed)).toMatchObject({ action: 'embed.change', user: 'ann', outcome: 'ok', query: queryName });
  });

  it('refuses unknown columns, units of labels without time, other lifetimes and sources that are none', async () => {
    const { Id } = await embed(ann);
    const refused = (body: unknown, field: string) => expectFieldProblem(change(ann.caller, Id, body), 'field_invalid', field);
    await refused({ options: { labelColumn: 'nothing' } }, 'labelColumn');
    await refused({ options: { timeUnit: 'day' } }, 'timeUnit');
    await refused({ expirationDays: 0 }, 'expirationDays');
    await refused({ options: { frameAncestors: '*; script-src *' } }, 'options.frameAncestors');
    expect((await change(ann.caller, Id, { options: { dataColumn: ['value', 'OTHER'] } })).json.chart).toMatchObject({
      dataColumn: ['value', 'other'],
    });
  });

  it('is for the issuer and Administrators, and other columns for the issuer only', async () => {
    const { Id } = await embed(ann);
    expect((await change(bob.caller, Id, {})).status).toBe(404);
    expect((await change(root, Id, { options: { title: 'By an Administrator' } })).status).toBe(200);
    await expectFieldProblem(change(root, Id, { options: { dataColumn: 'other' } }), 'field_invalid', 'options');
  });

  it('does not count a preview as a view', async () => {
    const { Id, Token } = await embed(ann, { title: 'Previewed' });
    await view(service.as(), Token, '&preview=true');
    await view(service.as(), Token);
    const views = async () => (await list(ann.caller)).items.find(({ id }) => id === Id)?.views;
    expect(await waitUntil(views, (count) => count !== 0, 30_000)).toBe(1);
  });
});
