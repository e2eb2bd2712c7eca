import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { createUser } from '../../support/people/accounts.ts';
import { createSigner, createVouchingApplication, fewSlots, forEachOfThousand, seconds } from '../../support/people/viewers.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

type Application = Awaited<ReturnType<typeof createVouchingApplication>>;
let service: TestService;
let root: Caller;
let anyone: Caller;
let host: Application;
let own: string; // the rows of the viewer's team, for a city among those of the team
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  anyone = service.as();
  host = await createVouchingApplication(service, 'host', { attributes: { team: 'application canary' } });
  const cities = await publish(root, {
    name: 'Cities',
    sql: "select @Team || ' ' || c as city from (values ('Porto'), ('Lyon')) as t(c)",
    parameters: [{ name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' }],
  });
  own = (
    await publish(root, {
      name: 'Own',
      sql: "select @Team || ' in ' || coalesce(@City, 'all') || ', ' || @Size as label, n as value from range(1, 4) as t(n)",
      parameters: [
        { name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' },
        { name: '@City', dataType: 'nvarchar', choices: { query: cities.queryName, value: 'city' }, choicesOnly: true },
        { name: '@Size', dataType: 'nvarchar', default: 'small' },
      ],
    })
  ).queryName;
});
afterAll(() => service.close());

const tokenOf = (sub: string, team: string, claims: Record<string, unknown> = {}, app = host) =>
  app.tokenOf(sub, { attributes: { team }, ...claims });
const signed = (more: Record<string, string> = {}, caller = root) =>
  embedOf(caller, { queryName: own, viewer: 'signed', open: '@City,@Size', ...more });
const see = async (Token: string, viewer: string, more = '') => view(anyone, Token, `&viewer=${viewer}${more}`);

describe('the token of a viewer at an embed', () => {
  const cases: Readonly<Record<string, readonly [number, () => Promise<string>]>> = {
    expired: [401, () => tokenOf('ana', 'red', { iat: seconds() - 600, exp: seconds() - 1 })],
    'of the future': [401, () => tokenOf('ana', 'red', { iat: seconds() + 120, exp: seconds() + 300 })],
    'too long-lived': [401, () => tokenOf('ana', 'red', { exp: seconds() + 3700 })],
    'for another service': [401, () => tokenOf('ana', 'red', { aud: 'https://other.example.com' })],
    'with another key': [401, () => host.tokenOf('ana', { attributes: { team: 'red' } }, createSigner())],
    'of an unknown application': [401, () => tokenOf('ana', 'red', { iss: '00000000-0000-4000-8000-000000000000' })],
    'for other queries': [403, () => tokenOf('ana', 'red', { queries: ['QD_Other_Demo'] })],
    'without the attribute': [403, () => host.tokenOf('ana')],
    'of an application without roles': [
      403,
      async () => tokenOf('ana', 'red', {}, await createVouchingApplication(service, 'without roles', { roles: [] })),
    ],
  };
  test.each(Object.entries(cases))('%s is refused, as page, form and picture', async (_name, [status, make]) => {
    const { Token } = await signed();
    const token = await make();
    const page = await see(Token, token);
    expect(page.status).toBe(status);
    expect(page.text).not.toMatch(/red in|canary|<table/);
    if (status === 401) expect(page.text).not.toContain(token);
    const picture = await anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}&viewer=${token}`);
    expect(picture.status).toBe(status);
    expect(picture.text).not.toMatch(/red in|canary/);
    const path = `${service.url}/api/v1/EmbeddedChart/RenderByToken?token=${Token}`;
    expect((await fetch(path, { method: 'POST', body: new URLSearchParams({ viewer: token }) })).status).toBe(status);
  });

  test('of any application that may run the query is taken', async () => {
    const { Token } = await signed();
    const other = await createVouchingApplication(service, 'another host');
    const page = await see(Token, await tokenOf('ana', 'blue', { queries: [own] }, other));
    expect(page.status).toBe(200);
    expect(page.text).toContain('blue in all');
    expect(await auditOf(root, page)).toMatchObject({ user: 'another host', viewer: 'ana' });
  });

  test('shows no more when it is replayed at another embed', async () => {
    const second = await publish(root, {
      name: 'Second',
      sql: "select @Team || ' of the second' || coalesce(@Size, '') as label, 1 as value",
      parameters: [
        { name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' },
        { name: '@Size', dataType: 'nvarchar' },
      ],
    });
    const closed = await publish(root, {
      name: 'Closed',
      sql: "select 'closed canary' as label, 1 as value",
      roles: ['Administrator'],
    });
    const [first, other, unreachable, everybodys] = [
      await signed(),
      await embedOf(root, { queryName: second.queryName, viewer: 'signed', open: '@Size' }),
      await embedOf(root, { queryName: closed.queryName, viewer: 'signed' }),
      await embedOf(root, { queryName: closed.queryName }),
    ];
    const token = await tokenOf('ana', 'red', { values: { '@Size': ' fixed' } });
    expect((await see(first.Token, token)).status).toBe(200);
    const page = await see(other.Token, token);
    expect([page.status, page.text.includes('red of the second fixed')]).toEqual([200, true]);
    expect((await see(other.Token, token, '&@Size=free')).status).toBe(400);
    const narrow = await tokenOf('ana', 'red', { queries: [own] });
    expect([(await see(first.Token, narrow)).status, (await see(other.Token, narrow)).status]).toEqual([200, 403]);
    const statuses = [await see(unreachable.Token, token), await see(everybodys.Token, token)].map(({ status, text }) => {
      expect(text).not.toContain('closed canary');
      return status;
    });
    expect(statuses).toEqual([403, 400]);
  });

  test('is refused as a key, in a header, and instead of the token of the embed', async () => {
    const { Token } = await signed();
    const token = await tokenOf('ana', 'red');
    expect((await view(anyone, Token, '', { Authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await view(anyone, token, `&viewer=${token}`)).status).toBe(401);
    const { key } = await host.createKey();
    expect((await see(Token, key)).status).toBe(401);
    expect((await view(root, Token)).status).toBe(401);
  });

  test('ends with the viewer, the application, the embed and its issuer', async () => {
    const issuer = await createUser(service, 'issuer', { roles: ['Query User'], databases: ['Demo'] });
    const { Id, Token } = await signed({}, issuer.caller);
    const token = await tokenOf('ana', 'red');
    const status = async () => (await see(Token, token)).status;
    expect(await status()).toBe(200);
    await expectStatus(root.call('POST', `${host.path}/viewers/ana/block`), 200);
    expect(await status()).toBe(401);
    await expectStatus(root.call('DELETE', `${host.path}/viewers/ana/block`), 204);
    expect(await status()).toBe(200);
    await expectStatus(root.call('PATCH', host.path, { disabled: true }), 200);
    expect(await status()).toBe(401);
    await expectStatus(root.call('PATCH', host.path, { disabled: false }), 200);
    await expectStatus(root.call('PATCH', `/api/v1/users/${issuer.id}`, { disabled: true }), 200);
    expect(await status()).toBe(403);
    await expectStatus(root.call('PATCH', `/api/v1/users/${issuer.id}`, { disabled: false }), 200);
    expect(await status()).toBe(200);
    await expectStatus(root.call('DELETE', `/api/v1/embeds/${Id}`), 204);
    expect(await status()).toBe(401);
  });
});

describe('values', () => {
  test('of a bound parameter cannot be sent or fixed', async () => {
    const { Token } = await signed();
    const token = await tokenOf('ana', 'red', { values: { '@Team': 'blue', team: 'blue' } });
    expect((await see(Token, token)).text).toContain('red in all');
    for (const name of ['@Team', '@team', '@TEAM', '@@Team', '@'])
      expect((await see(Token, token, `&${name}=blue`)).status).toBe(400);
  });

  test('that a token fixes replace those of the embed, and cannot be chosen', async () => {
    const { Token } = await signed({ parameters: JSON.stringify({ '@Size': 'large' }) });
    const token = await tokenOf('ana', 'red', { values: { size: 'medium' } });
    const page = await see(Token, token);
    expect(page.text).toContain('red in all, medium');
    expect(page.text).toContain('name="@City"');
    expect(page.text).not.toContain('name="@Size"');
    expect((await see(Token, token, '&@Size=large')).status).toBe(400);
  });

  test('are chosen among the choices of the viewer', async () => {
    const { Token } = await signed();
    const token = await tokenOf('ana', 'red');
    const page = await see(Token, token);
    expect(page.text).toContain('<option value="red Porto">red Porto</option>');
    expect(page.text).not.toContain('canary');
    expect((await see(Token, await tokenOf('bob', 'blue'))).text).not.toContain('red Porto');
    expect((await see(Token, token, '&@City=red%20Lyon')).text).toContain('red in red Lyon');
    const refused = await see(Token, token, '&@City=blue%20Lyon');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('is not one of its choices');
    expect(refused.text).toContain('name="@City"'); // to correct it
  });

  test('of the issuer are not in an error page', async () => {
    const { Token } = await signed({ open: '@City', parameters: JSON.stringify({ '@Size': 'secret size' }) });
    const refused = await see(Token, await tokenOf('ana', 'red'), '&@City=nowhere');
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain('secret size');
  });

  test('and tokens are escaped', async () => {
    const { Token } = await signed();
    const attack = encodeURIComponent(`"><script>alert(1)</script>`);
    for (const more of [`&@Size=${attack}`, `&@City=${attack}`, `&@${attack}=1`]) {
      const page = await see(Token, await tokenOf('ana', 'red'), more);
      expect(page.text).not.toContain('<script>alert');
    }
    expect((await see(Token, attack)).text).not.toContain('<script>alert');
  });
});

describe('the view of one viewer', () => {
  test('is not cached for others', async () => {
    const { Token, Id } = await signed();
    const tokens = [await tokenOf('ana', 'red'), await tokenOf('ana', 'red', { name: 'again' }), await tokenOf('eve', 'red')];
    const cached: boolean[] = [];
    for (const token of tokens) {
      const page = await see(Token, token);
      expect(page.headers.get('etag')).toBeNull();
      cached.push((await auditOf(root, page)).cached);
    }
    expect(cached).toEqual([false, true, false]);
    await anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?token=${Token}&viewer=${tokens[0]}`);
    const { json } = await expectStatus(root.call<{ svg: string | null }>('GET', `/api/v1/embeds/${Id}/picture`), 200);
    expect(json.svg).toBeNull();
  });

  test('is not in the list of the issuer if a viewer chose it', async () => {
    const { queryName } = await publish(root, {
      name: 'Chosen',
      sql: "select @Size || ' order' as label, 1 as value",
      parameters: [{ name: '@Size', dataType: 'nvarchar', default: 'small' }],
    });
    const { Id, Token } = await embedOf(root, { queryName, open: '@Size' });
    const picture = async () => (await root.call<{ svg: string | null }>('GET', `/api/v1/embeds/${Id}/picture`)).json.svg;
    expect((await view(anyone, Token, '&@Size=large')).text).toContain('large order');
    expect(await picture()).toBeNull();
    await view(anyone, Token);
    await view(anyone, Token, '&@Size=large');
    expect(await picture()).toContain('small order');
  });

  test('leaves no token in the log or in the audit trail', async () => {
    const { Token } = await signed();
    const tokens = [
      await tokenOf('ana', 'red'),
      await tokenOf('ana', 'red', { exp: seconds() - 1, iat: seconds() - 9 }),
      'a.b.canaryToken',
    ];
    for (const token of tokens) for (const more of ['', '&@Size=x', '&@Other=1']) await see(Token, token, more);
    const { text } = await root.call<List<unknown>>('GET', '/api/v1/audit?limit=200');
    const log = service.log().join('\n');
    for (const token of tokens) for (const place of [text, log]) expect(place).not.toContain(token.split('.')[2]);
  });
});

test('an Administrator cannot change whose rows and which parameters an embed of another user opens', async () => {
  const issuer = await createUser(service, 'owner', { roles: ['Query User'], databases: ['Demo'] });
  const { Id } = await signed({}, issuer.caller);
  const change = (options: Record<string, unknown>, by = root) => by.call('PATCH', `/api/v1/embeds/${Id}`, { options });
  expect((await change({ viewer: 'issuer' })).status).toBe(400);
  expect((await change({ open: ['@City'] })).status).toBe(400);
  expect((await change({ viewer: 'signed', open: ['@City', '@Size'], title: 'Same' })).status).toBe(200);
  expect((await change({ open: ['@City'] }, issuer.caller)).status).toBe(200);
});

test('a thousand viewers at once share the slots of their application', async () => {
  const limited = await startTestService(fewSlots);
  try {
    const manager = limited.as(admin);
    const slow = await publish(manager, {
      name: 'Slow',
      sql: "select 'n' as label, count(*) as value from range(1000000) a where hash(a.range) % 7 = 1",
    });
    const app = await createVouchingApplication(limited, 'popular');
    const { Token } = await embedOf(manager, { queryName: slow.queryName, viewer: 'signed' });
    const quick = await publish(manager, { name: 'Quick', sql: "select 'q' as label, 1 as value" });
    const other = await embedOf(manager, { queryName: quick.queryName });
    const statusOfViewer = async (index: number): Promise<number> => {
      const token = await app.tokenOf(`viewer ${index}`);
      const response = await fetch(`${limited.url}/api/v1/EmbeddedChart/RenderByToken?token=${Token}&viewer=${token}`);
      await response.text();
      return response.status;
    };
    const statuses = forEachOfThousand(statusOfViewer);
    const [person, page] = await Promise.all([manager.run(quick.queryName), view(limited.as(), other.Token)]);
    expect([person.status, page.status], 'others meanwhile').toEqual([200, 200]);
    const found = new Set(await statuses);
    expect([...found].filter((status) => ![200, 429, 503].includes(status))).toEqual([]); // 503: too many pictures to draw
    expect([found.has(200), found.has(429)]).toEqual([true, true]);
    expect(await statusOfViewer(1001), 'afterwards').toBe(200);
  } finally {
    await limited.close();
  }
}, 240_000);

describe.skipIf(postgresProblem() !== null)('two replicas', () => {
  test('show a signed embed, and end it at once', async () => {
    const url = await createDatabase();
    const here = await startTestService({ SLUICE_METADATA_URL: url });
    const there = await startTestService({ SLUICE_METADATA_URL: url, SLUICE_DATA: here.folder });
    try {
      const manager = here.as(admin);
      const { queryName } = await publish(manager, { name: 'One', sql: "select 'a' as label, 1 as value" });
      const app = await createVouchingApplication(here, 'host');
      const { Id, Token } = await embedOf(manager, { queryName, viewer: 'signed' });
      const token = await app.tokenOf('ana', { aud: [here.url, there.url] });
      const both = () =>
        Promise.all([here, there].map(async (each) => (await view(each.as(), Token, `&viewer=${token}`)).status));
      expect(await both()).toEqual([200, 200]);
      await expectStatus(manager.call('POST', `${app.path}/viewers/ana/block`), 200);
      expect(await both()).toEqual([401, 401]);
      await expectStatus(manager.call('DELETE', `${app.path}/viewers/ana/block`), 204);
      expect(await both()).toEqual([200, 200]);
      await expectStatus(manager.call('PATCH', `/api/v1/embeds/${Id}`, { options: { viewer: 'issuer' } }), 200);
      expect(await both()).toEqual([400, 400]);
    } finally {
      await there.close();
      await here.close();
    }
  });
});
