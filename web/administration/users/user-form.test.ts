import { expect, test } from 'vitest';
import { Problem } from '../../app/problem.ts';
import type { User } from '../../app/wire.ts';
import { canChange, endsSessions, toNewUserBody, toUserChange, toUserValues, withNames } from './user-form.ts';

const user: User = {
  id: '1',
  kind: 'person',
  owner: null,
  lastUsedAt: null,
  username: 'rosa',
  fullName: 'Rosa Ruiz',
  email: '',
  roles: ['Query User', 'Auditor'],
  databases: ['Demo'],
  attributes: { region: 'North', stores: ['12', '40'] },
  expiresAt: '2026-12-31T23:59:59.999Z',
  disabled: false,
  external: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  version: 3,
  canEdit: true,
  canEditRights: true,
  canDelete: true,
  lockedFields: [],
};

test('sends all attributes when one changes, without those that have no name or value', () => {
  const values = toUserValues(user);
  expect(values.attributes).toEqual([
    { id: 0, name: 'region', values: ['North'] },
    { id: 1, name: 'stores', values: ['12', '40'] },
  ]);
  const attributes = [
    { id: 0, name: ' region ', values: ['South', 'East'] },
    { id: 1, name: '', values: ['x'] },
    { id: 2, name: 'y', values: [] },
  ];
  expect(toUserChange(user, { ...values, attributes })).toEqual({ attributes: { region: ['South', 'East'] } });
});

test('an unchanged form sends nothing', () => {
  expect(toUserChange(user, toUserValues(user))).toEqual({});
  expect(toUserChange(user, { ...toUserValues(user), roles: ['Auditor', 'Query User'] })).toEqual({});
});

test('sends only changed fields, and a password only if one was typed', () => {
  const change = toUserChange(user, {
    ...toUserValues(user),
    fullName: ' Rosa R. ',
    scope: 'all',
    expiresAt: '',
    password: 'four plain words',
  });
  expect(change).toEqual({ fullName: 'Rosa R.', databases: ['*'], expiresAt: null, password: 'four plain words' });
  expect(endsSessions(change)).toBe(true);
  expect(endsSessions({ fullName: 'Rosa R.' })).toBe(false);
});

test('shows the day of an account that expires at the end of a day, otherwise the exact time', () => {
  expect(toUserValues(user).expiresAt).toBe('2026-12-31');
  expect(toUserValues({ ...user, expiresAt: '2026-12-31T10:00:00.000Z' }).expiresAt).toBe('2026-12-31T10:00:00.000Z');
});

test('treats all databases as a separate choice', () => {
  expect(toUserValues({ ...user, databases: ['*'] })).toMatchObject({ scope: 'all', databases: [] });
});

test('can change nothing in the own account if all its fields are locked', () => {
  const lockedFields = ['username', 'fullName', 'email', 'roles', 'attributes'];
  const own = { ...user, canEditRights: false, lockedFields };
  expect(canChange(own, '1')).toBe(false);
  expect(canChange({ ...own, canEditRights: true }, '1')).toBe(true);
  expect(canChange({ ...own, lockedFields: ['attributes'] }, '1')).toBe(true);
  expect(canChange(own, 'somebody else')).toBe(true);
});

test('sends only the typed fields of a new user', () => {
  expect(toNewUserBody({ ...toUserValues(null), username: ' rosa ', password: ' four plain words ' })).toEqual({
    username: 'rosa',
    password: ' four plain words ',
    fullName: '',
    email: '',
    roles: [],
    databases: [],
    attributes: {},
    expiresAt: null,
    disabled: false,
  });
});

test('an error for one of several names includes that name', () => {
  const fields = [
    { field: 'databases.1', message: 'There is no database with this name.' },
    { field: 'email', message: 'Expected an email address.' },
  ];
  const named = withNames(new Problem({ status: 400, code: 'field_invalid', message: '', fields }), {
    ...toUserValues(user),
    databases: ['Sales', 'Demo'], // sent in another order
  });
  expect(named instanceof Problem ? named.fields : null).toEqual([
    { field: 'databases', message: 'Sales: There is no database with this name.' },
    { field: 'email', message: 'Expected an email address.' },
  ]);
});
