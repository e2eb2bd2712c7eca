import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPeople, type People } from '../../test/support/people/people.ts';
import type { Authentication } from '../access/principal.ts';
import type { Query } from '../catalog/query.ts';
import { mayRun } from './find-query.ts';

let people: People;
let query: Query;
let roleId: string;
beforeAll(async () => {
  people = await openPeople();
  roleId = await people.addRole('Analyst', ['queries.run']);
  await people.addQuery('QD_Open');
  const found = await people.store.queries.byQueryName('QD_Open');
  if (found === null) throw new Error('no query');
  query = found;
  await people.add('runner', ['Query User'], { databaseScope: ['sales'] });
  await people.add('analyst', ['Analyst'], { databaseScope: ['sales', 'stock'] });
  await people.add('elsewhere', ['Query User'], { databaseScope: ['stock'] });
  await people.add('auditor', ['Auditor'], { databaseScope: '*' });
});
afterAll(() => people.close());

const key = (queries: readonly string[] | null): Authentication => ({
  kind: 'key',
  keyId: 'k1',
  keyName: 'k',
  expiresAt: null,
  queries,
  limits: null,
});
const granting = (roleIds: string[]): Query => ({
  ...query,
  current: { ...query.current, labels: { ...query.current.labels, roleIds } },
});

it('requires the permission and the database in scope', async () => {
  expect(mayRun(await people.as('admin'), query)).toBe(true);
  expect(mayRun(await people.as('runner'), query)).toBe(true);
  expect(mayRun(await people.as('elsewhere'), query)).toBe(false);
  expect(mayRun(await people.as('auditor'), query)).toBe(false);
});

it('requires one of the roles of the query if it names any, even of an Administrator', async () => {
  expect(mayRun(await people.as('analyst'), granting([roleId]))).toBe(true);
  expect(mayRun(await people.as('runner'), granting([roleId]))).toBe(false);
  expect(mayRun(await people.as('admin'), granting([roleId]))).toBe(false);
});

it.each(['Draft', 'Validated', 'Inactive', 'Void'] as const)('does not allow a query that is %s', async (status) => {
  expect(mayRun(await people.as('admin'), { ...query, status })).toBe(false);
});

it('allows a restricted key only its queries, and only if its user may run them', async () => {
  expect(mayRun(await people.as('runner', key(null)), query)).toBe(true);
  expect(mayRun(await people.as('runner', key(['QD_Open'])), query)).toBe(true);
  expect(mayRun(await people.as('runner', key(['QD_open', 'QD_Other'])), query)).toBe(false);
  expect(mayRun(await people.as('runner', key([])), query)).toBe(false);
  expect(mayRun(await people.as('elsewhere', key(['QD_Open'])), query)).toBe(false);
});
