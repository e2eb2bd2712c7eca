import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeyRing } from './key-ring.ts';
import { ATTEMPT_SECONDS, type ClaimRules, createAttempts, externalIdOf, personOf, toLocalPath } from './oidc.ts';
import { createSecretBox } from './secret-box.ts';

const ringOf = (...secrets: readonly Buffer[]) => createKeyRing(() => secrets);
const secret = randomBytes(32);
const attempt = { state: 's', nonce: 'n', verifier: 'v', next: '/queries', at: 1_000_000 };

it('opens a sealed attempt for ten minutes', () => {
  const attempts = createAttempts(ringOf(secret));
  const sealed = attempts.seal(attempt);
  expect(sealed).toMatch(/^[\w.-]+$/); // needs no escaping in a cookie
  expect(attempts.open(sealed, attempt.at + ATTEMPT_SECONDS * 1000)).toEqual(attempt);
  expect(attempts.open(sealed, attempt.at + ATTEMPT_SECONDS * 1000 + 1)).toBeNull();
});

it('rejects altered attempts and those sealed elsewhere or for another purpose', () => {
  const attempts = createAttempts(ringOf(secret));
  const sealed = attempts.seal(attempt);
  for (const text of [
    '',
    'v1.',
    sealed.slice(0, -2),
    sealed.replace('v1.', 'v1.A'),
    createAttempts(ringOf(randomBytes(32))).seal(attempt),
  ])
    expect(attempts.open(text, attempt.at)).toBeNull();
  expect(attempts.open(createSecretBox(ringOf(secret)).seal(JSON.stringify(attempt), 'attempt'), attempt.at)).toBeNull();
});

it('opens an attempt sealed under an older secret', () => {
  const sealed = createAttempts(ringOf(secret)).seal(attempt);
  expect(createAttempts(ringOf(randomBytes(32), secret)).open(sealed, attempt.at)).toEqual(attempt);
});

it.each(['/', '/queries', '/queries/7?tab=sql&x=%2F%2Fa#top', '/sign-ins', '/apis'])('accepts the local path %s', (wanted) => {
  expect(toLocalPath(wanted)).toBe(wanted);
});

it.each([
  undefined,
  ['/queries', '/other'],
  '',
  'queries',
  '//elsewhere.example',
  '///elsewhere.example',
  '/\\elsewhere.example',
  '\\\\elsewhere.example',
  '/..//elsewhere.example',
  '/.//elsewhere.example',
  '/%2e%2e//elsewhere.example',
  '/\t/elsewhere.example',
  '/\r\nSet-Cookie: a=b',
  ' //elsewhere.example',
  'https://elsewhere.example',
  'javascript:alert(1)',
  '/sign-in',
  '/sign-in?next=/',
  '/api/v1/session/oidc',
  `/${'x'.repeat(1000)}`,
])('replaces %j with the home page', (wanted) => {
  expect(toLocalPath(wanted)).toBe('/');
});

const rules: ClaimRules = {
  usernameClaim: 'preferred_username',
  rolesClaim: 'groups',
  roleMap: ['analysts=Query User', 'cn=it,ou=groups=Administrator', 'analysts=Auditor', ' spaced = Query User '],
  databaseMap: ['analysts=Sales', 'stock=Stock', 'it=*'],
  defaultRoles: [],
  attributes: [],
};
const person = (claims: Record<string, unknown>, changes: Partial<ClaimRules> = {}) =>
  personOf('id', claims, { ...rules, ...changes });

it('maps each group to its roles and databases, without duplicates', () => {
  expect(person({ groups: ['analysts', 'stock', 'spaced', 'football'] })).toMatchObject({
    roles: ['Query User', 'Auditor'],
    databases: ['Sales', 'Stock'],
  });
});

it('maps nothing if the groups claim is missing or malformed', () => {
  for (const groups of [undefined, null, [], 7, {}, [7, null, {}], ['Analysts', 'analysts=Query User', '']])
    expect(person({ groups })).toMatchObject({ roles: [], databases: [] });
});

it('adds the default roles', () => {
  expect(person({ groups: ['analysts'] }, { defaultRoles: ['Query User', 'Guest'] }).roles).toEqual([
    'Query User',
    'Guest',
    'Auditor',
  ]);
});

it('grants all databases if one group does', () => {
  expect(person({ groups: ['analysts', 'it'] }).databases).toEqual(['*']);
});

it('leaves the database scope alone if the settings do not map it', () => {
  expect(person({ groups: ['it'] }, { databaseMap: [] }).databases).toBeNull();
});

it('accepts a single group as text, and group names with = and commas', () => {
  expect(person({ groups: 'analysts' }).roles).toEqual(['Query User', 'Auditor']);
  expect(person({ groups: ['cn=it,ou=groups'] }).roles).toEqual(['Administrator']);
});

it('finds a claim by name or by path', () => {
  expect(person({ realm_access: { roles: ['analysts'] } }, { rolesClaim: 'realm_access.roles' }).roles).toHaveLength(2);
  expect(person({ 'https://example.com/groups': ['analysts'] }, { rolesClaim: 'https://example.com/groups' }).roles).toHaveLength(
    2,
  );
  expect(person({ groups: ['analysts'] }, { rolesClaim: 'constructor.name' }).roles).toEqual([]);
  expect(person({}, { rolesClaim: '__proto__.x' }).roles).toEqual([]);
});

it('takes the user name from its claim, or else from the e-mail address', () => {
  expect(person({ preferred_username: ' ann ', email: 'a@example.com' }).username).toBe('ann');
  expect(person({ preferred_username: '', email: 'a@example.com' }).username).toBe('a@example.com');
  expect(person({ upn: 'ann@corp' }, { usernameClaim: 'upn' }).username).toBe('ann@corp');
  expect(person({ preferred_username: ['ann'] }).username).toBe('');
});

it('ignores an unverified e-mail address, also as a user name', () => {
  for (const email_verified of [false, 'false'])
    expect(person({ email: 'boss@example.com', email_verified })).toMatchObject({ email: '', username: '' });
  for (const email_verified of [true, 'true', undefined])
    expect(person({ email: 'a@example.com', email_verified })).toMatchObject({ email: 'a@example.com' });
});

it('takes the full name from `name` or from its parts', () => {
  expect(person({ name: 'Ann Example', given_name: 'A' }).fullName).toBe('Ann Example');
  expect(person({ given_name: 'Ann', family_name: 'Example' }).fullName).toBe('Ann Example');
  expect(person({ family_name: 'Example' }).fullName).toBe('Example');
  expect(person({}).fullName).toBe('');
});

it('maps claims to attributes; unusable ones are missing', () => {
  const attributes = [
    'region=region',
    'tenant = org.tenant',
    'url=https://example.com/a=b',
    'none=missing',
    'bad=object',
    'long=long',
  ];
  const claims = {
    region: ['North', 7, '', null, {}],
    org: { tenant: 'acme' },
    'https://example.com/a=b': true,
    object: {},
    long: 'x'.repeat(1001),
    empty: '',
  };
  expect(person(claims, { attributes })).toMatchObject({
    attributes: { region: ['North', '7'], tenant: 'acme', url: 'true' },
    attributeNames: ['region', 'tenant', 'url', 'none', 'bad', 'long'],
  });
  expect(Object.keys(person(claims, { attributes: ['a=empty', 'b=constructor'] }).attributes)).toEqual([]);
});

it('distinguishes the same subject of two issuers', () => {
  expect(externalIdOf('https://a.example', '1')).not.toBe(externalIdOf('https://b.example', '1'));
});
