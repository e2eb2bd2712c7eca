import { afterAll, beforeEach, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, createNote, openPeople, type People } from '../../../test/support/people/people.ts';
import type { Principal } from '../../access/principal.ts';
import { createRoles, type Roles } from './roles.ts';

let people: People;
let roles: Roles;
let admin: Principal;
const opened: People[] = [];

beforeEach(async () => {
  people = await openPeople();
  opened.push(people);
  roles = createRoles({ store: people.store });
  admin = await people.as('admin');
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

it('creates a role with ordered, distinct permissions', async () => {
  const note = createNote();
  const input = { name: 'Analyst', permissions: ['audit.view', 'queries.run', 'audit.view'] } as const;
  const role = expectSuccess(await roles.create(admin, input, note));
  expect(role).toMatchObject({ name: 'Analyst', permissions: ['queries.run', 'audit.view'], builtIn: false, version: 1 });
  expect(expectSuccess(await roles.get(admin, role.id))).toEqual(role);
  expect(note.parameters).toMatchObject({ role: 'Analyst' });
});

it('rejects a name that is invalid or taken, ignoring case', async () => {
  expect(failureOf(await roles.create(admin, { name: 'auditor', permissions: [] }, createNote())).kind).toBe('NameTaken');
  for (const name of ['', ' x', 'a\tb', 'x'.repeat(101)])
    expect(fieldsOf(await roles.create(admin, { name, permissions: [] }, createNote()))).toEqual(['name']);
});

it('applies changes to its holders immediately', async () => {
  const id = await people.addRole('Analyst', ['queries.run']);
  await people.add('bob', ['Analyst']);
  const note = createNote();
  expectSuccess(await roles.change(admin, id, { permissions: ['audit.view'] }, 1, note));
  expect([...(await people.as('bob')).permissions]).toEqual(['audit.view']);
  expect(note.parameters).toEqual({
    role: 'Analyst',
    changed: { permissions: { from: ['queries.run'], to: ['audit.view'] } },
  });
  expect(failureOf(await roles.change(admin, id, { name: 'Other' }, 1, createNote())).kind).toBe('VersionConflict');
});

it('does not let an actor grant or remove permissions that they lack', async () => {
  await people.add('sec', ['Security Administrator']);
  const sec = await people.as('sec');
  const lacking = { kind: 'PermissionDenied', permission: 'queries.run' };
  expect(failureOf(await roles.create(sec, { name: 'Mine', permissions: ['audit.view', 'queries.run'] }, createNote()))).toEqual(
    lacking,
  );
  const own = expectSuccess(await roles.create(sec, { name: 'Mine', permissions: ['audit.view'] }, createNote()));
  expect(failureOf(await roles.change(sec, own.id, { permissions: ['queries.run'] }, undefined, createNote()))).toEqual(lacking);
  const strong = await people.addRole('Strong', ['queries.run']);
  expect(failureOf(await roles.change(sec, strong, { permissions: [] }, undefined, createNote()))).toEqual(lacking);
  expect(failureOf(await roles.remove(sec, strong, undefined, createNote()))).toEqual(lacking);
});

it('does not let an actor limited by scope add query permissions to a role', async () => {
  await people.addRole('Lead', ['users.manage', 'queries.run']);
  await people.add('lead', ['Lead'], { databaseScope: ['sales'] });
  const id = await people.addRole('Empty', []);
  await people.add('wide', ['Empty'], { databaseScope: '*' });
  const change = await roles.change(await people.as('lead'), id, { permissions: ['queries.run'] }, undefined, createNote());
  expect(failureOf(change).kind).toBe('PermissionDenied');
});

it('does not change the role Administrator', async () => {
  const id = admin.roleIds[0] ?? '';
  expect(failureOf(await roles.change(admin, id, { name: 'King' }, undefined, createNote())).kind).toBe('StateConflict');
  expect(failureOf(await roles.remove(admin, id, undefined, createNote())).kind).toBe('StateConflict');
});

it('is deleted only if no user holds it and no query names it', async () => {
  const held = await people.addRole('Held', []);
  await people.add('bob', ['Held']);
  const named = await people.addRole('Named', []);
  await people.addQuery('QD_A_Sales', { roleIds: [named] });
  const free = await people.addRole('Free', []);
  expect(failureOf(await roles.remove(admin, held, undefined, createNote())).kind).toBe('InUse');
  expect(failureOf(await roles.remove(admin, named, undefined, createNote())).kind).toBe('InUse');
  expectSuccess(await roles.remove(admin, free, undefined, createNote()));
  expect(failureOf(await roles.get(admin, free)).kind).toBe('NotFound');
});

it('reports which roles the caller may grant and change', async () => {
  await people.add('security', ['Security Administrator']);
  const rightsOf = async (actor: Principal) => {
    const { items } = expectSuccess(await roles.list(actor, { limit: 100 }));
    const named = (right: 'canGrant' | 'canEdit') =>
      items.flatMap((role) => ('builtIn' in role && role[right] ? [role.name] : [])).toSorted();
    return { canGrant: named('canGrant'), canEdit: named('canEdit') };
  };
  const all = expectSuccess(await roles.list(admin, { limit: 100 }))
    .items.map(({ name }) => name)
    .toSorted();
  expect(await rightsOf(admin)).toEqual({ canGrant: all, canEdit: all.filter((name) => name !== 'Administrator') });
  const own = ['Auditor', 'Security Administrator'];
  expect(await rightsOf(await people.as('security'))).toEqual({ canGrant: own, canEdit: own });
});
