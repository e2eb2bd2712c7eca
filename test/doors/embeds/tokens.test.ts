import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyRing } from '../../../src/access/key-ring.ts';
import { createShareTokens, createStamp } from '../../../src/access/share.ts';
import { auditOf } from '../../support/audit-entries.ts';
import { type Account, createUser } from '../../support/people/accounts.ts';
import { type EmbedLink, embedOf, publishChartQuery, view } from '../../support/queries/embeds.ts';
import { openStoreOf } from '../../support/services/metadata-store.ts';
import {
  admin,
  type ApiResponse,
  type Caller,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let anyone: Caller;
let issuer: Account;
let queryName: string;
beforeAll(async () => {
  service = await startTestService({ SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
  root = service.as(admin);
  anyone = service.as();
  issuer = await createUser(service, 'issuer', { roles: ['Query User'], databases: ['Demo'] });
  queryName = (await publishChartQuery(root, 'Shown')).queryName;
});
afterAll(() => service.close());

const embed = (settings = {}, caller = issuer.caller) => embedOf(caller, { queryName, ...settings });

/** An HTML error page without details. */
function expectMessage(response: ApiResponse, status: number, sentence: RegExp): void {
  expect({ status: response.status, text: response.text.slice(-400) }).toMatchObject({ status });
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('www-authenticate')).toBeNull();
  expect(response.text).toMatch(sentence);
  expect(response.text).not.toMatch(/<script|item 1|select |canary/i);
}

const image = (token: string, format: 'svg' | 'png', headers = {}) =>
  anyone.call('GET', `/api/v1/EmbeddedChart/RenderImage?format=${format}&token=${token}`, undefined, headers);

/** The same as a picture for an <img>. */
function expectPicture(response: ApiResponse, status: number, sentence?: RegExp): void {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe(sentence === undefined ? 'image/png' : 'image/svg+xml; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  if (sentence === undefined) {
    expect(response.text.slice(1, 4)).toBe('PNG');
    return;
  }
  expect(response.text).toMatch(/^<svg role="img" aria-label="[^"]+" width="960" height="400"/);
  expect(response.text).toMatch(sentence);
  expect(response.text).not.toMatch(/<script|item 1|select |canary/i);
}

describe('an invalid token gets 401', () => {
  let link: EmbedLink;
  beforeAll(async () => {
    link = await embed();
  });

  it('when it is missing', async () => {
    for (const path of ['RenderByToken', 'RenderByToken?token=', 'RenderByToken?tokens=x']) {
      expectMessage(await anyone.call('GET', `/api/v1/EmbeddedChart/${path}`), 401, /The link has no token/);
    }
    expectPicture(await image('', 'svg'), 401, /The link has no token/);
    expectPicture(await image('', 'png'), 401);
  });

  it('when any of its bytes is changed', async () => {
    for (let at = 0; at < link.Token.length; at++) {
      const other = link.Token[at] === 'A' ? 'B' : 'A';
      const altered = link.Token.slice(0, at) + other + link.Token.slice(at + 1);
      expect([at, (await view(anyone, altered)).status]).toEqual([at, 401]);
    }
    expect((await view(anyone, link.Token)).status).toBe(200);
  });

  it.each([
    'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpZCI6IjEifQ.',
    'null',
    '%00',
    '%ff',
    '../../etc/passwd',
    'E'.repeat(500),
    'E%27%20or%201=1--',
    '__proto__',
  ])('when it is malformed: %.60s', async (token) => {
    expectMessage(await view(anyone, token), 401, /incomplete or was altered/);
  });

  it('when it is sent twice, with extra characters or in lower case', async () => {
    expectMessage(await view(anyone, link.Token, `&token=${link.Token}`), 401, /incomplete/);
    for (const token of [`${link.Token}=`, `${link.Token}%20`, ` ${link.Token}`, link.Token.toLowerCase()]) {
      expect((await view(anyone, token)).status).toBe(401);
    }
  });

  it('when it was signed with another secret or is not in the store', async () => {
    const ring = createKeyRing(() => [Buffer.alloc(32, 1)]);
    const foreign = createShareTokens(ring, 'embed').sign({ id: link.Id, stamp: createStamp() });
    expectMessage(await view(anyone, foreign), 401, /incomplete/);
  });

  it('as soon as it is regenerated, while the new one works', async () => {
    const old = await embed({ expirationDays: '30' });
    await expectStatus(view(anyone, old.Token), 200);
    const path = `/api/v1/embeds/${old.Id}/regenerate`;
    const renewed = (await expectStatus(issuer.caller.call<EmbedLink>('POST', path), 200)).json;
    expectMessage(await view(anyone, old.Token), 401, /replaced or revoked/);
    expectPicture(await image(old.Token, 'svg'), 401, /replaced or revoked/);
    await expectStatus(view(anyone, renewed.Token), 200);
    expect(renewed.Id).toBe(old.Id);
    expect(Math.abs(Date.parse(renewed.ExpiresAt ?? '') - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
  });

  it('as soon as it is revoked', async () => {
    const revoked = await embed();
    await expectStatus(view(anyone, revoked.Token), 200);
    await expectStatus(issuer.caller.call('DELETE', `/api/v1/embeds/${revoked.Id}`), 204);
    expectMessage(await view(anyone, revoked.Token), 401, /replaced or revoked/);
  });

  it('when it has expired, even if its rows are still cached', async () => {
    const expired = await embed();
    await expectStatus(view(anyone, expired.Token), 200);
    const store = await openStoreOf(service);
    const recorded = await store.embeds.get(expired.Id);
    if (recorded === null) throw new Error('not recorded');
    await store.embeds.reissue(expired.Id, { ...recorded, expiresAt: Date.now() - 1 });
    await store.close();
    expectMessage(await view(anyone, expired.Token), 401, /link has expired/);
    const { items } = (await issuer.caller.call<{ items: { id: string; state: string }[] }>('GET', '/api/v1/embeds')).json;
    expect(items.find(({ id }) => id === expired.Id)?.state).toBe('expired');
  });

  it('and an audit entry without the token', async () => {
    // from another address: only the first refused calls of an address in a minute have an entry each
    const altered = `${link.Token.slice(0, -1)}${link.Token.endsWith('A') ? 'B' : 'A'}`;
    const path = `/api/v1/EmbeddedChart/RenderByToken?token=${altered}`;
    const response = await anyone.call('GET', path, undefined, { 'X-Forwarded-For': '192.0.2.1' });
    expect(await auditOf(root, response)).toMatchObject({
      action: 'embed.render',
      channel: 'embed',
      outcome: 'refused',
      status: 401,
      user: null,
    });
    expect((await root.call('GET', '/api/v1/audit?limit=1000')).text).not.toContain(link.Token);
    expect(service.log().join('')).not.toContain(link.Token.slice(0, 40));
  });
});

describe('a valid token shows what its issuer may see now', () => {
  const notAvailable = /is not active, or its owner may no longer show it/;
  const changed = async (change: () => Promise<unknown>, back: () => Promise<unknown>, link: EmbedLink) => {
    await expectStatus(view(anyone, link.Token), 200);
    await change();
    expectMessage(await view(anyone, link.Token), 403, notAvailable);
    expectPicture(await image(link.Token, 'svg'), 403, /is not active, or its owner/);
    expectPicture(await image(link.Token, 'png'), 403);
    await back();
    await expectStatus(view(anyone, link.Token), 200);
  };
  const patched = (id: string, body: Record<string, unknown>) => () =>
    expectStatus(root.call('PATCH', `/api/v1/users/${id}`, body), 200);

  it('refuses a query that is no longer Active', async () => {
    const query = await publishChartQuery(root, 'Leaving');
    const move = (name: string) => () => expectStatus(root.call('POST', `/api/v1/queries/${query.id}/${name}`), 200);
    await changed(move('deactivate'), move('activate'), await embed({ queryName: query.queryName }));
  });

  it('refuses while the issuer is disabled, expired, out of scope or without the permission', async () => {
    const person = await createUser(service, 'changing', { roles: ['Query User'], databases: ['Demo'] });
    const link = await embed({}, person.caller);
    await changed(patched(person.id, { disabled: true }), patched(person.id, { disabled: false }), link);
    await changed(patched(person.id, { expiresAt: '2020-01-01' }), patched(person.id, { expiresAt: null }), link);
    await changed(patched(person.id, { databases: [] }), patched(person.id, { databases: ['*'] }), link);
    await changed(patched(person.id, { roles: ['Auditor'] }), patched(person.id, { roles: ['Query User'] }), link);
  });

  it('refuses a query that names roles which the issuer lacks', async () => {
    const query = await publishChartQuery(root, 'Granted');
    const roles = (names: string[]) => () =>
      expectStatus(root.call('PATCH', `/api/v1/queries/${query.id}`, { roles: names }), 200);
    await changed(roles(['Query Publisher']), roles([]), await embed({ queryName: query.queryName }));
  });

  it('stays valid after the key that created it is revoked', async () => {
    const key = await issuer.caller.call<{ id: string; key: string }>('POST', '/api/v1/account/api-keys', { name: 'short' });
    const link = await embed({}, service.as({ key: key.json.key }));
    await expectStatus(issuer.caller.call('DELETE', `/api/v1/account/api-keys/${key.json.id}`), 204);
    await expectStatus(view(anyone, link.Token), 200);
  });

  it('is refused after its issuer is deleted', async () => {
    const person = await createUser(service, 'leaving', { roles: ['Query User'], databases: ['*'] });
    const link = await embed({}, person.caller);
    await expectStatus(root.call('DELETE', `/api/v1/users/${person.id}`), 204);
    expect((await view(anyone, link.Token)).status).toBe(401);
  });

  it('is not accepted as a credential elsewhere', async () => {
    const { Token } = await embed();
    for (const headers of [{ 'X-API-Key': Token }, { Authorization: `Bearer ${Token}` }, { Cookie: `sluice_session=${Token}` }]) {
      expect((await anyone.call('GET', '/api/v1/account', undefined, headers)).status).toBe(401);
    }
  });

  it('survives a restart', async () => {
    const link = await embed();
    await service.restart();
    const path = new URL(link.EmbedUrl).search;
    expect((await anyone.call('GET', `/api/v1/EmbeddedChart/RenderByToken${path}`)).status).toBe(200);
  });
});
