import { afterAll, beforeEach, expect, it } from 'vitest';
import {
  createNote,
  expectSuccess,
  failureOf,
  fieldsOf,
  NOW,
  openPeople,
  PASSWORD,
  type People,
} from '../../../test/support/people/people.ts';
import { createGuessLimit } from '../../access/guess-limit.ts';
import { createSharedGuesses } from '../../pipeline/limits/guesses.ts';
import { type Account, createAccount } from './account.ts';

let people: People;
let account: Account;
const opened: People[] = [];
const NEW = 'a wholly new password';

beforeEach(async () => {
  people = await openPeople();
  opened.push(people);
  account = createAccount({
    store: people.store,
    passwords: people.passwords,
    guesses: createGuessLimit(),
    sharedGuesses: createSharedGuesses(null),
    now: () => NOW,
  });
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const change = async (currentPassword: string, newPassword: string) =>
  account.changePassword(await people.as('bob'), { currentPassword, newPassword }, '127.0.0.1', createNote());

it('shows roles, permissions and databases by name', async () => {
  const expiresAt = Date.parse('2027-01-01T00:00:00Z');
  const bob = await people.add('bob', ['Query User', 'Auditor'], { databaseScope: ['stock', 'deleted'], expiresAt });
  expect(expectSuccess(await account.get(await people.as('bob')))).toEqual({
    id: bob.id,
    kind: 'person',
    username: 'bob',
    fullName: '',
    email: '',
    roles: ['Query User', 'Auditor'],
    permissions: ['queries.run', 'embeds.create', 'links.create', 'audit.view'],
    databases: ['Stock'],
    attributes: {},
    expiresAt: '2027-01-01T00:00:00.000Z',
    external: false,
    canManageExecutions: false,
  });
  expect(expectSuccess(await account.get(await people.as('admin')))).toMatchObject({
    databases: ['*'],
    canManageExecutions: true,
  });
});

it('changes the password given the current one, and ends sessions and remembered credentials', async () => {
  const bob = await people.add('bob', []);
  await people.store.sessions.insert({ hash: 'h', userId: bob.id, credentialVersion: 1, createdAt: NOW, lastUsedAt: NOW });
  expectSuccess(await change(PASSWORD, NEW));
  const after = await people.store.users.get(bob.id);
  expect(after).toMatchObject({ credentialVersion: 2, version: 2 });
  expect(await people.passwords.verify(NEW, after?.passwordHash ?? null)).toBe(true);
  expect(await people.store.principals.bySessionHash('h')).toBeNull();
});

it('rejects a wrong current password, and an invalid or unchanged new one', async () => {
  const bob = await people.add('bob', []);
  expect(fieldsOf(await change('not the password', NEW))).toEqual(['currentPassword']);
  expect(fieldsOf(await change(PASSWORD, 'short'))).toEqual(['newPassword']);
  expect(fieldsOf(await change(PASSWORD, PASSWORD))).toEqual(['newPassword']);
  expect((await people.store.users.get(bob.id))?.version).toBe(1);
});

it('limits guesses of the current password', async () => {
  await people.add('bob', []);
  for (let guess = 0; guess < 5; guess++)
    expect(fieldsOf(await change(`guess number ${guess}`, NEW))).toEqual(['currentPassword']);
  expect(failureOf(await change(PASSWORD, NEW)).kind).toBe('TooManyAttempts');
});

it('applies only one of two concurrent changes', async () => {
  await people.add('bob', []);
  const outcomes = await Promise.all([change(PASSWORD, NEW), change(PASSWORD, `${NEW} two`)]);
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
});
