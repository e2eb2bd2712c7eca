import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNote, expectSuccess } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import type { Principal } from '../../access/principal.ts';
import type { Result } from '../../core/errors.ts';
import type { QueryInput } from './query-definition.ts';
import { type QueryAction, rightsOf } from './query-rights.ts';
import type { QueryView } from './query-view.ts';

let catalog: Catalog;
let count = 0;
const { signal } = new AbortController();
beforeAll(async () => {
  catalog = await openCatalog();
  const { people } = catalog;
  await people.add('ann', ['Query Author'], { databaseScope: '*' });
  await people.add('pat', ['Query Publisher'], { databaseScope: '*' });
  await people.add('uma', ['Query User'], { databaseScope: '*' });
  await people.add('aud', ['Auditor'], { databaseScope: '*' });
});
afterAll(() => catalog.close());

const validate = async (id: string) =>
  expectSuccess(await catalog.lifecycle.validate(catalog.admin, id, undefined, signal, createNote()));
const move = async (name: 'activate' | 'deactivate' | 'void', id: string) =>
  expectSuccess(await catalog.lifecycle[name](catalog.admin, id, undefined, createNote()));
const edit = async (id: string) =>
  expectSuccess(
    await catalog.queries.change(catalog.admin, id, { sql: 'select 1 as n', parameters: [] }, undefined, createNote()),
  );

/** A new query in each state, by name. */
const states: Readonly<Record<string, (input: Partial<QueryInput>) => Promise<{ readonly id: string }>>> = {
  Draft: (input) => catalog.draft(input),
  Validated: async (input) => validate((await catalog.draft(input)).id),
  Active: (input) => catalog.createActive(input),
  Inactive: async (input) => move('deactivate', (await catalog.createActive(input)).id),
  Void: async (input) => move('void', (await catalog.draft(input)).id),
  'Active with a draft': async (input) => edit((await catalog.createActive(input)).id),
  'Active with a validated draft': async (input) => validate((await edit((await catalog.createActive(input)).id)).id),
  'Inactive with a draft': async (input) => move('deactivate', (await edit((await catalog.createActive(input)).id)).id),
};

const attempts: Readonly<Record<QueryAction, (actor: Principal, id: string) => Promise<Result<QueryView>>>> = {
  edit: (actor, id) => catalog.queries.change(actor, id, { tip: 'new' }, undefined, createNote()),
  validate: (actor, id) => catalog.lifecycle.validate(actor, id, undefined, signal, createNote()),
  activate: (actor, id) => catalog.lifecycle.activate(actor, id, undefined, createNote()),
  deactivate: (actor, id) => catalog.lifecycle.deactivate(actor, id, undefined, createNote()),
  void: (actor, id) => catalog.lifecycle.void(actor, id, undefined, createNote()),
  restore: (actor, id) => catalog.lifecycle.restore(actor, id, undefined, createNote()),
  discardDraft: (actor, id) => catalog.lifecycle.discardDraft(actor, id, undefined, createNote()),
};
const actions = ['edit', 'validate', 'activate', 'deactivate', 'void', 'restore', 'discardDraft'] as const;
const rightTo = (action: QueryAction) => `can${action.charAt(0).toUpperCase()}${action.slice(1)}`;

it.each(Object.keys(states))('reports for a query that is %s exactly what each user can do', async (state) => {
  for (const name of ['admin', 'ann', 'pat', 'uma', 'aud']) {
    const actor = name === 'admin' ? catalog.admin : await catalog.people.as(name);
    const succeeded: string[] = [];
    const reported: string[] = [];
    for (const action of actions) {
      const { id } = (await states[state]?.({ name: `Query ${++count}` })) ?? { id: '' };
      const query = await catalog.store.queries.get(id);
      if (query === null) throw new Error(`no query ${state}`);
      if (Reflect.get(rightsOf(actor, query), rightTo(action)) === true) reported.push(action);
      if ((await attempts[action](actor, id)).ok) succeeded.push(action);
    }
    expect(reported, `${name} on ${state}`).toEqual(succeeded);
  }
});

it('reports that a query which writes needs queries.epilogue to activate', async () => {
  const epilogue = 'delete from orders where region = @Region';
  const { id } = await validate((await catalog.draft({ name: 'Writes', database: 'Ledger', epilogue })).id);
  const seenBy = async (actor: Principal) => expectSuccess(await catalog.queries.get(actor, id, undefined));
  expect(await seenBy(catalog.admin)).toMatchObject({ canActivate: true });
  expect(await seenBy(await catalog.people.as('pat'))).toMatchObject({ canActivate: false, canVoid: true });
});

it('reports who may run an Active query, in lists too', async () => {
  const { id } = await catalog.createActive({ name: 'For publishers', roles: ['Query Publisher'] });
  const found = async (actor: Principal) =>
    expectSuccess(await catalog.queries.list(actor, { limit: 1000, search: 'For publishers' })).items.map(({ canRun }) => canRun);
  expect(await found(await catalog.people.as('pat'))).toEqual([true]);
  expect(await found(await catalog.people.as('ann'))).toEqual([false]);
  expect(await found(await catalog.people.as('uma'))).toEqual([]);
  expect((await edit(id)).canRun).toBe(false); // the administrator lacks the role
});

it('returns why an actor may not run a visible query', async () => {
  const { id } = await catalog.createActive({ name: 'Restricted', roles: ['Query Publisher'] });
  const reason = async (actor: Principal) => expectSuccess(await catalog.queries.get(actor, id, undefined)).cannotRunReason;
  expect(await reason(await catalog.people.as('pat'))).toBeNull();
  expect(await reason(await catalog.people.as('ann'))).toBe(
    'The query is restricted to the roles Query Publisher, and you have none of them. Ask an administrator for one, or change the roles of the query.',
  );
  const withoutRun = { ...catalog.admin, permissions: ['queries.author'] as const };
  expect(await reason(withoutRun)).toBe('None of your roles has the permission queries.run.');
  const draft = await catalog.draft({ name: 'Not yet' });
  expect(expectSuccess(await catalog.queries.get(catalog.admin, draft.id, undefined)).cannotRunReason).toBe(
    'Only Active queries can run. Not yet is Draft.',
  );
});

it('lets a key that is narrowed to some queries only run them', async () => {
  const { id, queryName } = await catalog.createActive({ name: 'Narrowed' });
  const key = { kind: 'key', keyId: 'k', keyName: 'k', expiresAt: null, queries: [queryName], limits: null } as const;
  const narrowed: Principal = { ...catalog.admin, authentication: key };
  expect(expectSuccess(await catalog.queries.get(narrowed, id, undefined))).toMatchObject({
    canRun: true,
    canEdit: false,
    canDeactivate: false,
  });
});
