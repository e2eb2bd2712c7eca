import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Attempt, createAttempts } from '../../../src/access/oidc.ts';
import { openDataFolder } from '../../../src/operations/data-folder.ts';
import { signInProblems } from '../../../web/account/sign-in-problem.ts';
import { problemOf } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/accounts.ts';
import { CLIENT_SECRET, type OidcService, startOidcService, Visitor } from '../../support/services/oidc-provider.ts';
import { admin, type List, type TestService } from '../../support/services/service.ts';

const ATTEMPT_COOKIE = 'sluice_oidc';

let oidc: OidcService;
let service: TestService;
let visitor: Visitor;
beforeAll(async () => {
  oidc = await startOidcService({
    SLUICE_OIDC_NAME: 'Example Ltd',
    SLUICE_OIDC_ROLE_MAP: 'analysts=Query User,it=Administrator,typo=Emperor',
    SLUICE_OIDC_DATABASE_MAP: 'analysts=Demo,it=*',
    SLUICE_OIDC_ATTRIBUTES: 'region=region,tenant=org.tenant',
  });
  service = oidc.service;
});
afterAll(() => oidc.close());
beforeEach(() => {
  visitor = new Visitor();
});

const person = (login: string, groups: readonly string[], more: Record<string, unknown> = {}): string => {
  oidc.provider.people.set(login, {
    name: `${login} of the Company`,
    email: `${login}@example.com`,
    preferred_username: login,
    groups,
    ...more,
  });
  return login;
};

const start = (): string => `${service.url}/api/v1/session/oidc`;
const startPath = '/api/v1/session/oidc';
const leadsTo = (response: Response): [number, string | null] => [response.status, response.headers.get('location')];
const refused = (problem: string): [number, string] => [302, `/sign-in?problem=${problem}`];

interface Listed {
  readonly id: string;
  readonly username: string;
  readonly external: boolean;
  readonly roles: readonly string[];
  readonly disabled: boolean;
}
async function userNamed(username: string): Promise<Listed | undefined> {
  const { json } = await service.as(admin).call<List<Listed>>('GET', `/api/v1/users?search=${username}`);
  return json.items.find((each) => each.username === username);
}

interface Entry {
  readonly user: string | null;
  readonly outcome: string;
  readonly status: number;
  readonly parameters: Readonly<Record<string, unknown>> | null;
}
async function lastSignIn(): Promise<Entry | undefined> {
  const { json } = await service.as(admin).call<List<Entry>>('GET', '/api/v1/audit?search=session.sign-in&limit=1');
  return json.items[0];
}

/** Changes the attempt in the browser's cookie and encrypts it again, as only the service can. */
function changeAttempt(change: Partial<Attempt>): void {
  const attempts = createAttempts(openDataFolder(service.folder).keys);
  const sealed = visitor.cookie(start(), ATTEMPT_COOKIE) ?? '';
  const attempt = attempts.open(sealed, Date.now());
  if (attempt === null) throw new Error('there is no attempt');
  visitor.setCookie(service.url, ATTEMPT_COOKIE, attempts.seal({ ...attempt, ...change }), startPath);
}

describe('OIDC sign-in', () => {
  test('is listed among the sign-in methods', async () => {
    const { status, json } = await service.as().call('GET', '/api/v1/session/options');
    expect([status, json]).toEqual([200, { company: { name: 'Example Ltd', url: start() } }]);
  });

  test('uses PKCE, state and nonce, and keeps their secrets in an encrypted cookie', async () => {
    const response = await visitor.ask(start());
    const asked = new URL(response.headers.get('location') ?? '');
    expect(response.status).toBe(302);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(asked.origin).toBe(oidc.provider.issuer);
    const sent = Object.fromEntries(asked.searchParams);
    expect(sent).toMatchObject({ response_type: 'code', client_id: 'sluice', code_challenge_method: 'S256' });
    expect(sent).toMatchObject({ scope: 'openid profile email', redirect_uri: `${start()}/callback` });
    for (const each of [sent.state, sent.nonce, sent.code_challenge]) expect(each).toMatch(/^[\w-]{43}$/);
    const [cookie = '', ...others] = response.headers.getSetCookie();
    expect(others).toEqual([]);
    const [, ...attributes] = cookie.split('; ');
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=600', `Path=${startPath}`, 'SameSite=Lax']);
    for (const each of [sent.state, sent.nonce]) expect(cookie).not.toContain(each);
  });

  test('creates the user with the roles and databases of their groups, and a normal session', async () => {
    const response = await visitor.signIn(service, person('alice', ['analysts', 'football']), '/queries?status=Active#top');
    expect(leadsTo(response)).toEqual([302, '/queries?status=Active#top']);
    const cookies = response.headers.getSetCookie();
    const session = cookies.find((each) => each.startsWith('sluice_session='))?.split('; ') ?? [];
    expect(session.slice(1).toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
    expect(cookies.find((each) => each.startsWith(`${ATTEMPT_COOKIE}=;`))).toContain('Expires=Thu, 01 Jan 1970');

    const { status, json } = await service.as(visitor.session(service)).call('GET', '/api/v1/session');
    expect(status).toBe(200);
    expect(json).toMatchObject({ username: 'alice', fullName: 'alice of the Company', email: 'alice@example.com' });
    expect(json).toMatchObject({ roles: ['Query User'], databases: ['Demo'], external: true });
    expect(await userNamed('alice')).toMatchObject({ external: true, disabled: false });
    expect(await userNamed('admin')).toMatchObject({ external: false });
    const entry = await lastSignIn();
    expect(entry).toMatchObject({ user: 'alice', outcome: 'ok', status: 302 });
    expect(entry?.parameters).toEqual({ provider: oidc.provider.issuer, created: true });
  });

  test('updates name, roles and databases each time, and a change of permissions ends other sessions', async () => {
    await visitor.signIn(service, person('bruno', ['analysts']));
    const elsewhere = new Visitor();
    await elsewhere.signIn(service, 'bruno');
    const whoAmI = (who: Visitor) => service.as(who.session(service)).call('GET', '/api/v1/session');
    expect((await whoAmI(visitor)).status).toBe(200); // nothing changed: both sessions continue
    const before = await userNamed('bruno');

    person('bruno', ['it'], { name: 'Bruno the Great', preferred_username: 'renamed' });
    await elsewhere.signIn(service, 'bruno');
    expect((await whoAmI(visitor)).status).toBe(401);
    expect((await whoAmI(elsewhere)).json).toMatchObject({
      id: before?.id,
      username: 'bruno',
      fullName: 'Bruno the Great',
      roles: ['Administrator'],
      databases: ['*'],
    });
    expect((await lastSignIn())?.parameters).toMatchObject({
      changed: { roles: { from: ['Query User'], to: ['Administrator'] }, databases: { from: ['Demo'], to: ['*'] } },
    });
  });

  test('fills attributes from claims each time, which cannot be changed by hand', async () => {
    await visitor.signIn(service, person('rosa', ['analysts'], { region: ['North', 'South'], org: { tenant: 'acme' } }));
    const account = () => service.as(visitor.session(service)).call('GET', '/api/v1/account');
    expect((await account()).json).toMatchObject({ attributes: { region: ['North', 'South'], tenant: 'acme' } });
    const rosa = await userNamed('rosa');
    const change = (attributes: Record<string, string>) =>
      service.as(admin).call('PATCH', `/api/v1/users/${rosa?.id}`, { attributes });
    const refused = await change({ region: 'East', level: '3' });
    expect([refused.status, problemOf(refused).errors?.[0]?.field]).toEqual([400, 'attributes.region']);
    expect((await change({ level: '3' })).status).toBe(200);
    await visitor.signIn(service, person('rosa', ['analysts'], { region: 'East' }));
    expect((await account()).json).toMatchObject({ attributes: { region: 'East', level: '3' } });
    expect((await account()).json.attributes).not.toHaveProperty('tenant');
  });

  test('creates a new session each time and ends the previous one of the browser', async () => {
    await visitor.signIn(service, person('claire', ['analysts']));
    const first = visitor.session(service);
    await visitor.signIn(service, 'claire');
    expect(visitor.session(service)).not.toEqual(first);
    expect((await service.as(first).call('GET', '/api/v1/session')).status).toBe(401);
    expect((await service.as(visitor.session(service)).call('GET', '/api/v1/session')).status).toBe(200);
  });

  test('redirects to pages of this service only', async () => {
    person('dora', ['analysts']);
    for (const next of [
      '//elsewhere.example',
      'https://elsewhere.example/',
      '/\\elsewhere.example',
      '/..//elsewhere.example',
      '/\t/elsewhere.example',
      'javascript:alert(1)',
      '/sign-in?next=/',
      '/api/v1/session/oidc',
    ])
      expect([next, ...leadsTo(await new Visitor().signIn(service, 'dora', next))]).toEqual([next, 302, '/']);
  });
});

describe('an OIDC user', () => {
  test('has no password for sign-in or Basic, and none can be set', async () => {
    await visitor.signIn(service, person('erin', ['analysts']));
    expect((await service.as({ username: 'erin', password: '' }).call('GET', '/api/v1/account')).status).toBe(401);
    expect((await service.as().call('POST', '/api/v1/session', { username: 'erin', password: 'null' })).status).toBe(401);
    const change = await service
      .as(visitor.session(service))
      .call('PUT', '/api/v1/account/password', { currentPassword: 'x', newPassword: 'four plain words here' });
    expect([change.status, problemOf(change).detail]).toEqual([409, expect.stringContaining('has no password here')]);
    const user = await userNamed('erin');
    const given = await service.as(admin).call('PATCH', `/api/v1/users/${user?.id}`, { password: 'four plain words here' });
    expect([given.status, problemOf(given).errors?.[0]?.field]).toEqual([400, 'password']);
  });

  test('is refused without a role, and no account is created', async () => {
    expect(leadsTo(await visitor.signIn(service, person('frank', ['football'])))).toEqual(refused('no_role'));
    expect(visitor.cookie(service.url, 'sluice_session')).toBeUndefined();
    expect(await userNamed('frank')).toBeUndefined();
    const { provider } = oidc;
    expect(await lastSignIn()).toMatchObject({
      user: 'frank',
      outcome: 'refused',
      parameters: { provider: provider.issuer, problem: 'no_role' },
    });
  });

  test('gets nothing from a role that does not exist, and the audit trail names the role', async () => {
    expect(leadsTo(await visitor.signIn(service, person('gwen', ['typo'])))).toEqual(refused('no_role'));
    expect((await lastSignIn())?.parameters).toMatchObject({ unknown: ['Emperor'] });
  });

  test('loses roles, sessions and key permissions when no group grants a role any more', async () => {
    await visitor.signIn(service, person('henry', ['analysts']));
    const session = service.as(visitor.session(service));
    const { json } = await session.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'mine' });
    const key = service.as({ key: json.key });
    expect((await key.call('GET', '/api/v1/account')).json).toMatchObject({ roles: ['Query User'] });
    person('henry', []);
    expect(leadsTo(await new Visitor().signIn(service, 'henry'))).toEqual(refused('no_role'));
    expect((await session.call('GET', '/api/v1/session')).status).toBe(401);
    expect((await key.call('GET', '/api/v1/account')).json).toMatchObject({ roles: [], databases: [] });
  });

  test('is refused when disabled or expired', async () => {
    await visitor.signIn(service, person('ines', ['analysts']));
    const user = await userNamed('ines');
    const change = (body: unknown) => service.as(admin).call('PATCH', `/api/v1/users/${user?.id}`, body);
    await change({ disabled: true });
    expect(leadsTo(await visitor.signIn(service, 'ines'))).toEqual(refused('credential_revoked'));
    expect(await userNamed('ines')).toMatchObject({ disabled: true });
    expect(await lastSignIn()).toMatchObject({ user: 'ines', outcome: 'refused', status: 401 });
    await change({ disabled: false, expiresAt: '2020-01-01' });
    expect(leadsTo(await visitor.signIn(service, 'ines'))).toEqual(refused('credential_expired'));
    expect(await lastSignIn()).toMatchObject({ user: 'ines', outcome: 'refused', status: 401 });
  });

  test('never takes over an account of the same name, local or of another subject', async () => {
    await createUser(service, 'Julia', { roles: ['Auditor'] });
    expect(leadsTo(await visitor.signIn(service, person('julia', ['it'])))).toEqual(refused('name_taken'));
    expect(await userNamed('Julia')).toMatchObject({ external: false, roles: ['Auditor'] });

    await new Visitor().signIn(service, person('kurt', ['analysts']));
    person('another', ['analysts'], { preferred_username: 'KURT' });
    expect(leadsTo(await new Visitor().signIn(service, 'another'))).toEqual(refused('name_taken'));
    person('admin-to-be', ['it'], { preferred_username: 'admin' });
    expect(leadsTo(await new Visitor().signIn(service, 'admin-to-be'))).toEqual(refused('name_taken'));
  });

  test('is named by the e-mail address if the provider sends no name, and refused with an invalid name', async () => {
    await visitor.signIn(service, person('lena', ['analysts'], { preferred_username: undefined }));
    expect(await userNamed('lena@example.com')).toMatchObject({ external: true });
    person('mallory', ['analysts'], { preferred_username: 'a:b' });
    expect(leadsTo(await new Visitor().signIn(service, 'mallory'))).toEqual(refused('identity_invalid'));
  });

  test('does not count as the last Administrator', async () => {
    await visitor.signIn(service, person('nora', ['it']));
    const local = await userNamed('admin');
    const { status } = await service.as(visitor.session(service)).call('DELETE', `/api/v1/users/${local?.id}`);
    expect(status).toBe(409);
    person('nora', ['analysts']);
    expect(leadsTo(await visitor.signIn(service, 'nora'))).toEqual([302, '/']);
  });
});

describe('a response of the provider', () => {
  test('is accepted once', async () => {
    const came = await visitor.signInAtProvider(start(), person('olga', ['analysts']));
    const attempt = visitor.cookie(start(), ATTEMPT_COOKIE) ?? '';
    expect(leadsTo(await visitor.ask(came))).toEqual([302, '/']);
    expect(leadsTo(await visitor.ask(came))).toEqual(refused('sign_in_expired')); // the browser no longer has the attempt
    visitor.setCookie(service.url, ATTEMPT_COOKIE, attempt, startPath);
    expect(leadsTo(await visitor.ask(came))).toEqual(refused('identity_invalid')); // the provider still has it
  });

  test('must belong to an attempt of this browser', async () => {
    const came = await visitor.signInAtProvider(start(), person('paul', ['analysts']));
    expect(leadsTo(await new Visitor().ask(came))).toEqual(refused('sign_in_expired'));
    const victim = new Visitor();
    await victim.ask(start());
    expect(leadsTo(await victim.ask(came))).toEqual(refused('sign_in_expired'));
    expect(victim.cookie(service.url, 'sluice_session')).toBeUndefined();
    expect(await lastSignIn()).toMatchObject({ outcome: 'refused', parameters: { problem: 'sign_in_expired' } });
  });

  test.each([
    ['a wrong state', (url: URL) => url.searchParams.set('state', 'another'), 'sign_in_expired'],
    ['no state', (url: URL) => url.searchParams.delete('state'), 'sign_in_expired'],
    ['a wrong code', (url: URL) => url.searchParams.set('code', 'another'), 'identity_invalid'],
    ['no code', (url: URL) => url.searchParams.delete('code'), 'identity_invalid'],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://elsewhere.example'), 'identity_invalid'],
  ])('is refused with %s', async (_what, change, problem) => {
    const came = new URL(await visitor.signInAtProvider(start(), person('quinn', ['analysts'])));
    change(came);
    expect(leadsTo(await visitor.ask(came.href))).toEqual(refused(problem));
    expect(visitor.cookie(service.url, 'sluice_session')).toBeUndefined();
  });

  test.each([
    ['nonce', { nonce: 'another' }],
    ['verifier', { verifier: 'x'.repeat(43) }],
  ])('is refused when it was made for another %s', async (_what, change) => {
    const came = await visitor.signInAtProvider(start(), person('rosa', ['analysts']));
    changeAttempt(change);
    expect(leadsTo(await visitor.ask(came))).toEqual(refused('identity_invalid'));
  });

  test('is refused when the cookie was changed or is too old', async () => {
    const came = await visitor.signInAtProvider(start(), person('sven', ['analysts']));
    const sealed = visitor.cookie(start(), ATTEMPT_COOKIE) ?? '';
    const at = sealed.length - 5;
    const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    visitor.setCookie(service.url, ATTEMPT_COOKIE, altered, startPath);
    expect(leadsTo(await visitor.ask(came))).toEqual(refused('sign_in_expired'));
    visitor.setCookie(service.url, ATTEMPT_COOKIE, sealed, startPath);
    changeAttempt({ at: Date.now() - 601_000 });
    expect(leadsTo(await visitor.ask(came))).toEqual(refused('sign_in_expired'));
  });

  test('that denies access is reported as denied', async () => {
    const asked = new URL((await visitor.ask(start())).headers.get('location') ?? '');
    const query = new URLSearchParams({ error: 'access_denied', state: asked.searchParams.get('state') ?? '' });
    query.set('iss', oidc.provider.issuer);
    expect(leadsTo(await visitor.ask(`${start()}/callback?${query}`))).toEqual(refused('provider_refused'));
  });
});

test('every reason has a message on the sign-in page', () => {
  const reported = ['sign_in_expired', 'provider_refused', 'identity_invalid', 'no_role', 'provider_unavailable'];
  const shared = ['name_taken', 'credential_revoked', 'credential_expired', 'store_unavailable'];
  for (const word of [...reported, ...shared]) expect([word, signInProblems[word]]).toEqual([word, expect.stringMatching(/\.$/)]);
});

test('local accounts keep working with OIDC configured', async () => {
  expect((await service.as().call('POST', '/api/v1/session', admin)).status).toBe(200);
});

test('the log contains no secret, code, token or attempt', async () => {
  const came = new URL(await visitor.signInAtProvider(start(), person('tess', ['analysts'])));
  const attempt = visitor.cookie(start(), ATTEMPT_COOKIE) ?? '';
  changeAttempt({ nonce: 'another' });
  await visitor.ask(came.href);
  const log = service.log().join('\n');
  expect(log).toContain('Response of the sign-in provider not valid');
  for (const each of [CLIENT_SECRET, attempt, came.searchParams.get('code') ?? '', 'eyJ']) expect(log).not.toContain(each);
});
