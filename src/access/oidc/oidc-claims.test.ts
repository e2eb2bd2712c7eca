import { expect, it } from 'vitest';
import { type ClaimRules, externalIdOf, personOf } from './oidc-claims.ts';

const rules: ClaimRules = {
  usernameClaim: 'preferred_username',
  rolesClaim: 'groups',
  roleMap: ['analysts=Query User', 'cn=it,ou=groups=Administrator', 'analysts=Auditor', ' spaced = Query User '],
  databaseMap: ['analysts=Sales', 'stock=Stock', 'it=*'],
  defaultRoles: [],
};
const person = (claims: Record<string, unknown>, changes: Partial<ClaimRules> = {}) =>
  personOf('id', claims, { ...rules, ...changes });

it('gives the roles and databases of each group, once', () => {
  expect(person({ groups: ['analysts', 'stock', 'spaced', 'football'] })).toMatchObject({
    roles: ['Query User', 'Auditor'],
    databases: ['Sales', 'Stock'],
  });
});

it('gives nothing where there is no group, or what is there is none', () => {
  for (const groups of [undefined, null, [], 7, {}, [7, null, {}], ['Analysts', 'analysts=Query User', '']])
    expect(person({ groups })).toMatchObject({ roles: [], databases: [] });
});

it('adds the roles of everyone', () => {
  expect(person({ groups: ['analysts'] }, { defaultRoles: ['Query User', 'Guest'] }).roles).toEqual([
    'Query User',
    'Guest',
    'Auditor',
  ]);
});

it('opens all databases where one group does', () => {
  expect(person({ groups: ['analysts', 'it'] }).databases).toEqual(['*']);
});

it('says nothing of databases where the settings say nothing', () => {
  expect(person({ groups: ['it'] }, { databaseMap: [] }).databases).toBeNull();
});

it('takes one group as text, and a group with = and commas in its name', () => {
  expect(person({ groups: 'analysts' }).roles).toEqual(['Query User', 'Auditor']);
  expect(person({ groups: ['cn=it,ou=groups'] }).roles).toEqual(['Administrator']);
});

it('finds a claim by its name or by its path', () => {
  expect(person({ realm_access: { roles: ['analysts'] } }, { rolesClaim: 'realm_access.roles' }).roles).toHaveLength(2);
  expect(person({ 'https://example.com/groups': ['analysts'] }, { rolesClaim: 'https://example.com/groups' }).roles).toHaveLength(
    2,
  );
  expect(person({ groups: ['analysts'] }, { rolesClaim: 'constructor.name' }).roles).toEqual([]);
  expect(person({}, { rolesClaim: '__proto__.x' }).roles).toEqual([]);
});

it('names a person by the claim, or else by the e-mail address', () => {
  expect(person({ preferred_username: ' ann ', email: 'a@example.com' }).username).toBe('ann');
  expect(person({ preferred_username: '', email: 'a@example.com' }).username).toBe('a@example.com');
  expect(person({ upn: 'ann@corp' }, { usernameClaim: 'upn' }).username).toBe('ann@corp');
  expect(person({ preferred_username: ['ann'] }).username).toBe('');
});

it('takes the full name whole or from its parts', () => {
  expect(person({ name: 'Ann Example', given_name: 'A' }).fullName).toBe('Ann Example');
  expect(person({ given_name: 'Ann', family_name: 'Example' }).fullName).toBe('Ann Example');
  expect(person({ family_name: 'Example' }).fullName).toBe('Example');
  expect(person({}).fullName).toBe('');
});

it('tells the same subject of two issuers apart', () => {
  expect(externalIdOf('https://a.example', '1')).not.toBe(externalIdOf('https://b.example', '1'));
});
