import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  failureOf,
  fieldsOf,
  expectSuccess,
  NOW,
  createNote,
  openPeople,
  PASSWORD,
  type People,
} from '../../../test/support/people/people.ts';
import type { Principal } from '../../access/principal.ts';
import { createUsers, type UserChange, type Users } from './users.ts';

let people: People;
let users: Users;
let admin: Principal;
const opened: People[] = [];

beforeEach(async () => {
  people = await openPeople();
  opened.push(people);
  users = createUsers({
    store: people.store,
    passwords: people.passwords,
    now: () => NOW,
    providerAttributes: new Set(['tenant']),
  });
  admin = await people.as('admin');
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const changeBy = async (actor: string, id: string, input: UserChange) =>
  users.change(await people.as(actor), id, input, undefined, createNote());
const storedUser = async (id: string) => {
  const user = await people.store.users.get(id);
  if (user === null) throw new Error('the user is gone');
  return user;
};

describe('a user', () => {
  it('starts without roles, databases and expiry, and is audited without the password', async () => {
    const note = createNote();
    const bob = expectSuccess(await users.create(admin, { username: 'bob', password: PASSWORD }, note));
    expect(bob).toMatchObject({ username: 'bob', fullName: '', email: '', roles: [], databases: [], expiresAt: null });
    expect(bob).toMatchObject({ disabled: false, createdAt: '2026-11-15T10:00:00.000Z', version: 1 });
    expect(expectSuccess(await users.get(admin, bob.id))).toEqual(bob);
    expect(note.parameters).toEqual({ user: 'bob', password: 'set' });
    expect(await people.passwords.verify(PASSWORD, (await storedUser(bob.id)).passwordHash)).toBe(true);
  });

  it('refers to roles and databases by name, and reports unknown names with their field', async () => {
    const input = { username: 'bob', password: PASSWORD, roles: ['Auditor', 'Query User'], databases: ['Sales'] };
    expect(expectSuccess(await users.create(admin, input, createNote()))).toMatchObject({
      roles: ['Auditor', 'Query User'],
      databases: ['Sales'],
    });
    const wrong = { username: 'eve', password: PASSWORD, roles: ['Auditor', 'Emperor'], databases: ['Mars'] };
    expect(fieldsOf(await users.create(admin, wrong, createNote()))).toEqual(['roles.1', 'databases.0']);
    expect(fieldsOf(await users.create(admin, { ...wrong, email: 'eve' }, createNote()))).toEqual([
      'email',
      'roles.1',
      'databases.0',
    ]);
    const mixed = { username: 'eve', password: PASSWORD, databases: ['*', 'Sales'] };
    expect(fieldsOf(await users.create(admin, mixed, createNote()))).toEqual(['databases']);
  });

  it.each(['', ' bob', 'bob ', 'b:b', 'b\nb', 'b\0b', 'x'.repeat(101)])('rejects the user name %j', async (username) => {
    expect(fieldsOf(await users.create(admin, { username, password: PASSWORD }, createNote()))).toEqual(['username']);
  });

  it('has a unique name, ignoring case', async () => {
    expect(failureOf(await users.create(admin, { username: 'ADMIN', password: PASSWORD }, createNote())).kind).toBe('NameTaken');
    const bob = await people.add('bob', []);
    expect(failureOf(await changeBy('admin', bob.id, { username: 'Admin' })).kind).toBe('NameTaken');
  });

  it('requires a valid password', async () => {
    expect(fieldsOf(await users.create(admin, { username: 'bob', password: 'short' }, createNote()))).toEqual(['password']);
    const bob = await people.add('bob', []);
    expect(fieldsOf(await changeBy('admin', bob.id, { password: 'eleven char' }))).toEqual(['password']);
  });

  it('expires at the end of the day if only a date is sent', async () => {
    const bob = await people.add('bob', []);
    const expiring = async (expiresAt: string | null) => changeBy('admin', bob.id, { expiresAt });
    expect(expectSuccess(await expiring('2026-12-31')).expiresAt).toBe('2026-12-31T23:59:59.999Z');
    expect(expectSuccess(await expiring('2026-12-31T10:00:00+02:00')).expiresAt).toBe('2026-12-31T08:00:00.000Z');
    expect(expectSuccess(await expiring(null)).expiresAt).toBeNull();
    expect(fieldsOf(await expiring('2026-02-30'))).toEqual(['expiresAt']);
    expect(fieldsOf(await expiring('soon'))).toEqual(['expiresAt']);
  });

  it('is not found by an unknown id', async () => {
    expect(failureOf(await users.get(admin, 'nobody')).kind).toBe('NotFound');
    expect(failureOf(await changeBy('admin', 'nobody', {})).kind).toBe('NotFound');
    expect(failureOf(await users.remove(admin, 'nobody', undefined, createNote())).kind).toBe('NotFound');
  });
});

describe('a change', () => {
  it('changes the fields sent and audits their old and new values', async () => {
    const bob = await people.add('bob', ['Auditor'], { fullName: 'Bob', email: 'bob@example.org' });
    const note = createNote();
    const after = expectSuccess(await users.change(admin, bob.id, { roles: ['Query User'], databases: ['*'] }, undefined, note));
    expect(after).toMatchObject({
      fullName: 'Bob',
      email: 'bob@example.org',
      roles: ['Query User'],
      databases: ['*'],
      version: 2,
    });
    expect(note.parameters).toEqual({
      user: 'bob',
      changed: { roles: { from: ['Auditor'], to: ['Query User'] }, databases: { from: [], to: ['*'] } },
    });
  });

  it('by PUT clears fields left out, except for the password', async () => {
    const bob = await people.add('bob', ['Auditor'], { fullName: 'Bob', databaseScope: '*', expiresAt: NOW + 1, disabled: true });
    const after = expectSuccess(
      await users.replace(admin, bob.id, { username: 'bob', roles: undefined }, undefined, createNote()),
    );
    expect(after).toMatchObject({ fullName: '', roles: [], databases: [], expiresAt: null, disabled: false });
    expect((await storedUser(bob.id)).passwordHash).toBe(bob.passwordHash);
  });

  it('is rejected after a concurrent change', async () => {
    const bob = await people.add('bob', []);
    expectSuccess(await users.change(admin, bob.id, { fullName: 'Bob' }, 1, createNote()));
    expect(failureOf(await users.change(admin, bob.id, { fullName: 'Rob' }, 1, createNote())).kind).toBe('VersionConflict');
    expect(failureOf(await users.remove(admin, bob.id, 1, createNote())).kind).toBe('VersionConflict');
    expectSuccess(await users.remove(admin, bob.id, 2, createNote()));
  });

  it.each<[string, UserChange]>([
    ['password', { password: 'another horse battery' }],
    ['roles', { roles: ['Auditor'] }],
    ['databases', { databases: ['Sales'] }],
    ['expiry', { expiresAt: '2030-01-01' }],
    ['disable', { disabled: true }],
  ])('of %s ends sessions and remembered credentials', async (_, input) => {
    const bob = await people.add('bob', []);
    const session = { hash: 'h', userId: bob.id, credentialVersion: 1, createdAt: NOW, lastUsedAt: NOW };
    await people.store.sessions.insert(session);
    expectSuccess(await changeBy('admin', bob.id, { fullName: 'Bob', roles: [] }));
    expect((await storedUser(bob.id)).credentialVersion).toBe(1);
    expect(await people.store.principals.bySessionHash('h')).not.toBeNull();
    expectSuccess(await changeBy('admin', bob.id, input));
    expect((await storedUser(bob.id)).credentialVersion).toBe(2);
    expect(await people.store.principals.bySessionHash('h')).toBeNull();
  });
});

describe('users cannot grant themselves rights that they lack', () => {
  it('by setting their own password without the current one', async () => {
    const input = { username: 'admin', password: 'another horse battery', roles: ['Administrator'], databases: ['*'] };
    expect(fieldsOf(await changeBy('admin', admin.userId, { password: input.password }))).toEqual(['password']);
    expect(fieldsOf(await users.replace(admin, admin.userId, input, undefined, createNote()))).toEqual(['password']);
  });

  it('by granting a role with a permission that they lack', async () => {
    await people.add('sec', ['Security Administrator']);
    const bob = await people.add('bob', []);
    const given = await changeBy('sec', bob.id, { roles: ['Query User'] });
    expect(failureOf(given)).toEqual({ kind: 'PermissionDenied', permission: 'queries.run' });
    const input = { username: 'eve', password: PASSWORD, roles: ['Administrator'] };
    expect(failureOf(await users.create(await people.as('sec'), input, createNote())).kind).toBe('PermissionDenied');
    expectSuccess(await changeBy('sec', bob.id, { roles: ['Auditor'], databases: ['*'] }));
  });

  it.each<UserChange>([{ password: 'another horse battery' }, { disabled: true }, { roles: [] }, { fullName: 'x' }])(
    'by changing who has more rights: %j',
    async (input) => {
      await people.add('sec', ['Security Administrator']);
      await people.add('boss', ['Administrator']);
      expect(failureOf(await changeBy('sec', admin.userId, input)).kind).toBe('PermissionDenied');
      expect(failureOf(await users.remove(await people.as('sec'), admin.userId, undefined, createNote())).kind).toBe(
        'PermissionDenied',
      );
    },
  );

  it('by changing their own identity, roles, databases or expiry, except Administrators', async () => {
    const sec = await people.add('sec', ['Security Administrator']);
    expect(failureOf(await changeBy('sec', sec.id, { databases: ['*'] })).kind).toBe('PermissionDenied');
    expect(failureOf(await changeBy('sec', sec.id, { roles: ['Auditor'] })).kind).toBe('PermissionDenied');
    expect(failureOf(await changeBy('sec', sec.id, { expiresAt: '2030-01-01' })).kind).toBe('PermissionDenied');
    for (const change of [{ fullName: 'Sec' }, { email: 'a@example.org' }, { username: 'second' }])
      expect(failureOf(await changeBy('sec', sec.id, change)).kind).toBe('PermissionDenied');
    expectSuccess(await changeBy('admin', admin.userId, { databases: ['Sales'] }));
    expectSuccess(await changeBy('admin', admin.userId, { databases: ['*'] }));
  });

  it('by granting a database outside their scope to an account that reads data', async () => {
    await people.addRole('Lead', ['users.manage', 'queries.run', 'embeds.create', 'links.create']);
    await people.add('lead', ['Lead'], { databaseScope: ['sales'] });
    const bob = await people.add('bob', ['Query User'], { databaseScope: ['sales'] });
    const wide = await people.add('wide', [], { databaseScope: '*' });
    expect(failureOf(await changeBy('lead', bob.id, { databases: ['Sales', 'Stock'] })).kind).toBe('PermissionDenied');
    expect(failureOf(await changeBy('lead', bob.id, { databases: ['*'] })).kind).toBe('PermissionDenied');
    expect(failureOf(await changeBy('lead', wide.id, { roles: ['Query User'] })).kind).toBe('PermissionDenied');
    expectSuccess(await changeBy('lead', bob.id, { databases: [] }));
    expectSuccess(await changeBy('lead', bob.id, { databases: ['Sales'] }));
  });
});

describe('attributes', () => {
  const attributes = { region: ['North', 'South'], tenant: 'acme' };

  it('are kept unless they are sent, and are replaced as a whole', async () => {
    const { id } = expectSuccess(await users.create(admin, { username: 'bob', password: PASSWORD, attributes }, createNote()));
    expect(expectSuccess(await users.replace(admin, id, { username: 'bob' }, undefined, createNote())).attributes).toEqual(
      attributes,
    );
    const note = createNote();
    expect(expectSuccess(await users.change(admin, id, { attributes: { tenant: 'b' } }, undefined, note)).attributes).toEqual({
      tenant: 'b',
    });
    expect(note.parameters).toMatchObject({ changed: { attributes: { from: attributes, to: { tenant: 'b' } } } });
    expect((await storedUser(id)).credentialVersion).toBe(1);
    expect(await people.store.users.listAttributeNames()).toEqual(['tenant']);
  });

  it('are limited in number and length', async () => {
    const { id } = expectSuccess(await users.create(admin, { username: 'bob', password: PASSWORD }, createNote()));
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    for (const [wrong, field] of [
      [Object.fromEntries(many(51).map((name) => [name, 'x'])), 'attributes'],
      [{ region: many(101) }, 'attributes.region'],
      [{ region: 'x'.repeat(1001) }, 'attributes.region'],
      [{ region: 'a\0' }, 'attributes.region'],
      [{ '1st': 'x' }, 'attributes.1st'],
      [{ 'a.b': 'x' }, 'attributes.a.b'],
    ] as const)
      expect(fieldsOf(await changeBy('admin', id, { attributes: wrong }))).toEqual([field]);
    expectSuccess(await changeBy('admin', id, { attributes: Object.fromEntries(many(50).map((name) => [name, many(100)])) }));
  });

  it('from OpenID Connect cannot be changed, and stay when others are', async () => {
    const { id } = expectSuccess(await users.create(admin, { username: 'bob', password: PASSWORD, attributes }, createNote()));
    await people.store.users.update({ ...(await storedUser(id)), externalId: 'issuer#bob', version: 2 });
    expect(fieldsOf(await changeBy('admin', id, { attributes: { tenant: 'other' } }))).toEqual(['attributes.tenant']);
    expect(expectSuccess(await changeBy('admin', id, { attributes: { region: 'East' } })).attributes).toEqual({
      region: 'East',
      tenant: 'acme',
    });
    expectSuccess(await changeBy('admin', id, { attributes: { tenant: 'acme' } }));
  });

  it('are never changed by their owner, nor by those who may not take over the account', async () => {
    expect(failureOf(await changeBy('admin', admin.userId, { attributes }))).toMatchObject({
      kind: 'PermissionDenied',
      reason: expect.stringContaining('own'),
    });
    expectSuccess(await changeBy('admin', admin.userId, { attributes: {} })); // no change
    await people.addRole('User manager', ['users.manage', 'queries.run']);
    await people.add('mia', ['User manager'], { databaseScope: ['sales'] });
    await people.add('wide', ['Query User'], { databaseScope: ['stock'] });
    const target = await people.store.principals.byUsername('wide');
    expect(failureOf(await changeBy('mia', target?.user.id ?? '', { attributes })).kind).toBe('PermissionDenied');
  });
});

describe('the last Administrator', () => {
  it.each<UserChange>([{ disabled: true }, { roles: [] }, { expiresAt: '2030-01-01' }, { expiresAt: '2020-01-01' }])(
    'stays one: %j',
    async (input) => {
      await people.add('idle', ['Administrator'], { disabled: true });
      await people.add('gone', ['Administrator'], { expiresAt: NOW - 1 });
      expect(failureOf(await changeBy('admin', admin.userId, input)).kind).toBe('StateConflict');
      expect(await storedUser(admin.userId)).toMatchObject({ version: 1 });
    },
  );

  it('cannot be deleted, and users cannot delete themselves', async () => {
    const removal = async () => failureOf(await users.remove(admin, admin.userId, undefined, createNote()));
    expect(await removal()).toMatchObject({ kind: 'StateConflict', reason: expect.stringContaining('last Administrator') });
    await people.add('boss', ['Administrator']);
    expect(await removal()).toMatchObject({ kind: 'StateConflict', reason: expect.stringContaining('your own account') });
  });

  it('can be removed if there is another, unless that one expires first', async () => {
    const boss = await people.add('boss', ['Administrator'], { expiresAt: Date.parse('2028-01-01T00:00:00Z') });
    expect(failureOf(await changeBy('admin', admin.userId, { expiresAt: '2029-01-01' })).kind).toBe('StateConflict');
    expectSuccess(await changeBy('admin', admin.userId, { expiresAt: '2027-01-01' }));
    expectSuccess(await changeBy('admin', admin.userId, { roles: [] }));
    expect(failureOf(await changeBy('boss', boss.id, { disabled: true })).kind).toBe('StateConflict');
    expectSuccess(await changeBy('boss', boss.id, { expiresAt: null }));
  });

  it('remains when two demote each other concurrently', async () => {
    const boss = await people.add('boss', ['Administrator']);
    const outcomes = await Promise.all([
      changeBy('admin', boss.id, { roles: [] }),
      changeBy('boss', admin.userId, { roles: [] }),
    ]);
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  });
});

it('deletes keys and sessions together with a user', async () => {
  const bob = await people.add('bob', []);
  await people.store.sessions.insert({ hash: 'h', userId: bob.id, credentialVersion: 1, createdAt: NOW, lastUsedAt: NOW });
  const note = createNote();
  expectSuccess(await users.remove(admin, bob.id, undefined, note));
  expect(note.parameters).toEqual({ user: 'bob' });
  expect(await people.store.principals.bySessionHash('h')).toBeNull();
  expect(failureOf(await users.get(admin, bob.id)).kind).toBe('NotFound');
});

it('lists users by name with search and pages', async () => {
  await people.add('Zoe', ['Auditor'], { databaseScope: ['stock'] });
  await people.add('bob', []);
  const first = expectSuccess(await users.list(admin, { limit: 2 }));
  expect(first.items.map((user) => user.username)).toEqual(['admin', 'bob']);
  const second = expectSuccess(await users.list(admin, { limit: 2, cursor: first.nextCursor ?? '' }));
  expect(second).toMatchObject({ items: [{ username: 'Zoe', roles: ['Auditor'], databases: ['Stock'] }], nextCursor: null });
});

describe('the rights of the caller', () => {
  it.each([
    [['Administrator'], '*', ['Administrator'], '*', true],
    [['Security Administrator'], [], ['Auditor'], '*', true],
    [['Security Administrator'], [], ['Administrator'], [], false],
    [['Security Administrator'], [], ['Query User'], [], false],
    [['Security Administrator', 'Query User'], ['sales'], ['Query User'], ['sales'], true],
    [['Security Administrator', 'Query User'], ['sales'], ['Query User'], ['stock'], false],
    [['Security Administrator', 'Query User'], ['sales'], ['Query User'], '*', false],
    [['Security Administrator', 'Query User'], ['sales'], [], '*', false],
  ] as const)('as %j %j over %j %j: %j', async (held, scope, theirRoles, theirScope, expected) => {
    await people.add('me', [...held], { databaseScope: scope });
    const they = await people.add('they', [...theirRoles], { databaseScope: theirScope });
    const user = expectSuccess(await users.get(await people.as('me'), they.id));
    expect(user).toMatchObject({ canEdit: expected, canEditRights: expected, canDelete: expected });
  });

  it('exclude deleting the own account and, unless an Administrator, changing its rights', async () => {
    expect(expectSuccess(await users.get(admin, admin.userId))).toMatchObject({
      canEdit: true,
      canEditRights: true,
      canDelete: false,
    });
    const me = await people.add('me', ['Security Administrator']);
    expect(expectSuccess(await users.get(await people.as('me'), me.id))).toMatchObject({
      canEdit: true,
      canEditRights: false,
      canDelete: false,
    });
  });
});
