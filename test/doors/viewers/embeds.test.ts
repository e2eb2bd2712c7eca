import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { createVouchingApplication } from '../../support/people/viewers.ts';
import { embedOf, getEmbedUrl, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

type Application = Awaited<ReturnType<typeof createVouchingApplication>>;
let service: TestService;
let root: Caller;
let anyone: Caller;
let host: Application;
let own: string; // the rows of the viewer's team
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  anyone = service.as();
  host = await createVouchingApplication(service, 'host', { attributes: { team: 'application canary' } });
  own = (
    await publish(root, {
      name: 'Own',
      sql: "select @Team || ' ' || @Size as label, n as value from range(1, 4) as t(n)",
      parameters: [
        { name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' },
        { name: '@Size', dataType: 'nvarchar', default: 'small', values: ['small', 'large'] },
      ],
    })
  ).queryName;
});
afterAll(() => service.close());

const tokenOf = (sub: string, team: string, claims: Record<string, unknown> = {}) =>
  host.tokenOf(sub, { attributes: { team }, ...claims });
const signed = (more: Record<string, string> = {}) => embedOf(root, { queryName: own, viewer: 'signed', open: '@Size', ...more });

describe('a signed embed', () => {
  test('shows each viewer their own rows', async () => {
    const { Token, IframeCode } = await signed();
    expect(IframeCode).toContain('sandbox="allow-scripts allow-downloads allow-forms"');
    for (const team of ['red', 'blue', 'red']) {
      const page = await view(anyone, Token, `&viewer=${await tokenOf(`of ${team}`, team)}`);
      expect(page.status).toBe(200);
      expect(page.text).toContain(`${team} small`);
      expect(page.text).not.toContain(team === 'red' ? 'blue' : 'red small red');
      expect(page.text).not.toContain('canary');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(await auditOf(root, page)).toMatchObject({
        user: 'host',
        kind: 'application',
        viewer: `of ${team}`,
        channel: 'embed',
        outcome: 'ok',
      });
    }
  });

  test('takes values of open parameters in the address, as page and as picture', async () => {
    const { Token } = await signed();
    const more = `&viewer=${await tokenOf('ana', 'red')}&@Size=LARGE`;
    expect((await view(anyone, Token, more)).text).toContain('red large');
    const picture = await anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}${more}`);
    expect(picture.status).toBe(200);
    expect(picture.text).toContain('Size: large.');
    for (const [wrong, sentence] of [
      ['@Size=huge', 'Size: '],
      ['@Team=blue', 'The embed takes no parameter @Team.'],
      ['@Other=1', 'The embed takes no parameter @Other.'],
    ]) {
      const page = await view(anyone, Token, `&viewer=${await tokenOf('ana', 'red')}&${wrong}`);
      expect([wrong, page.status]).toEqual([wrong, 400]);
      expect(page.text).toContain(sentence);
    }
  });

  test('takes the token in the body of a form', async () => {
    const { Token } = await signed();
    const body = new URLSearchParams({ viewer: await tokenOf('ana', 'red'), '@Size': 'large' });
    const path = `${service.url}/api/v1/EmbeddedChart/RenderByToken?token=${Token}`;
    const response = await fetch(path, { method: 'POST', body });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('red large');
  });

  test('is an error page without a valid token of a viewer', async () => {
    const { Token } = await signed();
    const path = (more: string) => view(anyone, Token, more);
    const missing = await path('');
    expect(missing.status).toBe(401);
    expect(missing.text).toMatch(/Viewer unknown.*/);
    expect(missing.text).toContain(' data-ask');
    const expired = await path(`&viewer=${await tokenOf('ana', 'red', { iat: 1, exp: 2 })}`);
    expect(expired.status).toBe(401);
    expect(expired.text).toContain(' data-ask');
    const garbage = await path('&viewer=a.b.c');
    expect(garbage.status).toBe(401);
    expect(garbage.text).not.toContain(' data-ask');
    expect((await path(`&viewer=${await tokenOf('ana', 'red', { queries: ['QD_Other'] })}`)).status).toBe(403);
    expect((await path(`&viewer=${await host.tokenOf('ana')}`)).status).toBe(403); // without the attribute
  });
});

test('an embed with the rows of its issuer refuses the token of a viewer', async () => {
  const { queryName } = await publish(root, { name: 'Plain', sql: "select 'x' as label, 1 as value" });
  const { Token } = await embedOf(root, { queryName });
  expect((await view(anyone, Token)).status).toBe(200);
  expect((await view(anyone, Token, `&viewer=${await tokenOf('ana', 'red')}`)).status).toBe(400);
});

test('an open parameter that is bound later no longer has a field', async () => {
  const parameter = { name: '@Who', dataType: 'nvarchar(50)' };
  const { id, queryName } = await publish(root, {
    name: 'Bound later',
    sql: 'select @Who as label, 1 as value',
    parameters: [parameter],
  });
  const { Token } = await embedOf(root, { queryName, viewer: 'signed', open: '@Who' });
  const shown = async () => (await view(anyone, Token, `&viewer=${await tokenOf('ana', 'red')}`)).text;
  expect(await shown()).toContain('name="@Who"');
  const change = { parameters: [{ ...parameter, boundTo: 'user.name' }] };
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, change), 200);
  for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
  const page = await shown();
  expect(page).toContain('ana');
  expect(page).not.toContain('name="@Who"');
});

test('a default that the query no longer accepts has to be chosen again, and is not shown', async () => {
  const parameter = { name: '@Code', dataType: 'nvarchar(50)', masked: true };
  const { id, queryName } = await publish(root, {
    name: 'Closed later',
    sql: 'select 1 as label, 1 as value where @Code is not null',
    parameters: [parameter],
  });
  const parameters = JSON.stringify([{ ParameterName: '@Code', Value: 'canary' }]);
  const { Token } = await embedOf(root, { queryName, open: '@Code', parameters });
  expect((await view(anyone, Token)).status).toBe(200);
  const change = { parameters: [{ ...parameter, values: ['a', 'b'] }] };
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, change), 200);
  for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
  const page = await view(anyone, Token);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('Choose a value.')]);
  expect(page.text).not.toContain('canary');
  expect((await view(anyone, Token, '&@Code=c')).text).toContain('is not one of its values');
  expect((await view(anyone, Token, '&@Code=a')).status).toBe(200);
});

test('viewer and open are validated, listed and changed', async () => {
  const wrong = (more: Record<string, string>) => getEmbedUrl(root, { queryName: own, viewer: 'signed', ...more });
  expect((await wrong({ viewer: 'anybody' })).status).toBe(400);
  for (const [open, code] of [
    ['@Team', 'parameter_bound'],
    ['@Nothing', 'parameter_unknown'],
  ])
    expect((await wrong({ open: open ?? '' })).json).toMatchObject({ status: 400, code });
  const { Id, Token } = await signed({ parameters: JSON.stringify([{ ParameterName: '@Size', Value: 'large' }]) });
  const listed = async () => {
    const { json } = await root.call<{ items: { id: string }[] }>('GET', '/api/v1/embeds');
    return json.items.find(({ id }) => id === Id);
  };
  expect(await listed()).toMatchObject({ viewer: 'signed', open: ['@Size'], parameters: { '@Size': 'large' } });
  const viewer = `&viewer=${await tokenOf('ana', 'red')}`;
  expect((await view(anyone, Token, viewer)).text).toContain('red large'); // its default
  expect((await view(anyone, Token, `${viewer}&@Size=small`)).text).toContain('red small');
  await expectStatus(root.call('PATCH', `/api/v1/embeds/${Id}`, { options: { open: [] } }), 200);
  expect(await listed()).toMatchObject({ viewer: 'signed', open: [] });
  expect((await view(anyone, Token, `${viewer}&@Size=small`)).status).toBe(400);
  await expectStatus(root.call('PATCH', `/api/v1/embeds/${Id}`, { options: { open: ['@Team'] } }), 400);
});
