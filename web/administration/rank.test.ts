import { describe, expect, test } from 'vitest';
import { permissions, seedRoles } from '../../src/access/permission.ts';
import type { Role, Session, User } from '../app/wire.ts';
import { allPermissions } from './permission-texts.ts';
import { mayChangeRole, mayChangeUser } from './rank.ts';

const roles: readonly Role[] = seedRoles.map((role) => ({
  ...role,
  id: role.name,
  version: 1,
  builtIn: role.name === 'Administrator',
}));
const session = (held: readonly string[], databases: readonly string[] = []): Session => ({
  id: 'me',
  username: 'me',
  fullName: '',
  email: '',
  roles: held,
  permissions: permissions.filter((each) =>
    seedRoles.some(({ name, permissions: has }) => held.includes(name) && has.includes(each)),
  ),
  databases,
  expiresAt: null,
  external: false,
  edition: 'extended',
  mcp: true,
  version: '1',
});
const user = (held: readonly string[], databases: readonly string[] = []): User => ({
  id: 'they',
  username: 'they',
  fullName: '',
  email: '',
  roles: held,
  databases,
  expiresAt: null,
  disabled: false,
  external: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  version: 1,
});

test('describes every permission', () => {
  expect(allPermissions).toEqual(permissions);
});

describe('an account', () => {
  test.each([
    ['Administrator', ['Administrator'], [], ['Administrator'], ['*'], true],
    ['Security Administrator', ['Security Administrator'], [], ['Auditor'], ['*'], true],
    ['Security Administrator', ['Security Administrator'], [], ['Administrator'], [], false],
    ['Security Administrator', ['Security Administrator'], [], ['Query User'], [], false],
    ['limited reader', ['Security Administrator', 'Query User'], ['Sales'], ['Query User'], ['Sales'], true],
    ['limited reader', ['Security Administrator', 'Query User'], ['Sales'], ['Query User'], ['Stock'], false],
    ['limited reader', ['Security Administrator', 'Query User'], ['Sales'], ['Query User'], ['*'], false],
    ['limited reader', ['Security Administrator', 'Query User'], ['Sales'], [], ['*'], false],
  ])('as %s %j %j → %j %j: %j', (_, held, databases, theirRoles, theirDatabases, expected) => {
    expect(mayChangeUser(session(held, databases), user(theirRoles, theirDatabases), roles)).toBe(expected);
  });
});

test('forbids changes to Administrator and to roles with permissions that the user lacks', () => {
  const changeable = (held: readonly string[]) =>
    roles.filter((role) => mayChangeRole(session(held), role)).map(({ name }) => name);
  expect(changeable(['Administrator'])).toEqual(seedRoles.map(({ name }) => name).filter((name) => name !== 'Administrator'));
  expect(changeable(['Security Administrator'])).toEqual(['Security Administrator', 'Auditor']);
});
