import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createQueryUser, createUser } from '../../support/people/accounts.ts';
import type { Changes } from '../../support/queries/changes.ts';
import { embedOf } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

interface Plan {
  readonly queries: readonly (Pick<Changes, 'changes' | 'breaking'> & {
    readonly queryName: string;
    readonly action: string;
    readonly affected: Pick<Changes, 'callers' | 'dependants' | 'callersSince'> | null;
  })[];
}

let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service?.close());

let count = 0;
const SQL = "select 'a' as label, 1 as value, 2 as more";
const WITHOUT_MORE = "select 'a' as label, 1 as value";
async function publishQuery(more: Record<string, unknown> = {}) {
  const name = `From files ${++count}`;
  const { id, queryName } = await publish(root, { name, sql: SQL, ...more });
  const file = { queryName, name, database: 'Demo', sql: SQL, aiAccess: true, roles: [] };
  return { id, queryName, file };
}
const send = (what: 'plan' | 'apply', queries: readonly unknown[], more = {}, caller = root) =>
  caller.call<Plan>('POST', `/api/v1/catalog/${what}`, { queries, ...more });
const planOf = async (queries: readonly unknown[], caller = root) =>
  (await expectStatus(send('plan', queries, {}, caller), 200)).json;
const rowsOf = async (queryName: string) => (await expectStatus(root.run(queryName), 200)).json.Data;

test('a plan lists what callers notice, and who notices breaking changes', async () => {
  const author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
  const ann = await createQueryUser(service, 'ann');
  const [broken, extended, relabeled] = [await publishQuery(), await publishQuery(), await publishQuery()];
  await expectStatus(ann.caller.run(broken.queryName), 200);
  const embed = await embedOf(ann.caller, { queryName: broken.queryName, title: 'A chart' });
  const { queries } = await planOf(
    [
      { ...broken.file, sql: WITHOUT_MORE },
      { ...extended.file, sql: `${SQL}, 3 as further` },
      { ...relabeled.file, description: 'Only described' },
      { ...broken.file, queryName: 'QD_New_one_Demo', name: 'New one' },
    ],
    author.caller,
  );
  expect(queries).toMatchObject([
    {
      queryName: broken.queryName,
      action: 'change',
      breaking: true,
      changes: [{ kind: 'columnRemoved', path: 'columns.more', message: 'The column more was removed.' }],
      affected: {
        callers: [{ user: 'ann', channel: 'rest', version: 1, calls: 1 }],
        moreCallers: 0,
        dependants: [{ kind: 'embed', id: embed.Id, name: 'A chart', owner: 'ann', version: null }],
        moreDependants: 0,
      },
    },
    { queryName: extended.queryName, breaking: false, changes: [{ kind: 'columnAdded' }], affected: null },
    { queryName: relabeled.queryName, breaking: false, changes: [], affected: null },
    { queryName: 'QD_New_one_Demo', action: 'create', breaking: false, changes: [], affected: null },
  ]);
  expect(await rowsOf(broken.queryName)).toEqual([{ label: 'a', value: 1, more: 2 }]);
});

test('apply refuses all of it if one query breaks callers, and names each change; allowBreaking applies it', async () => {
  const [first, second] = [await publishQuery(), await publishQuery()];
  const queries = [
    { ...first.file, sql: `${SQL}, 3 as further` },
    { ...second.file, sql: WITHOUT_MORE, maxRows: 10 },
  ];
  const refused = await expectProblem(send('apply', queries), 409, 'breaking_change');
  expect(refused.errors).toEqual([
    { field: 'queries.1.columns.more', code: 'breaking_change', message: 'The column more was removed.' },
    { field: 'queries.1.maxRows', code: 'breaking_change', message: 'The row limit was lowered from none to 10.' },
  ]);
  expect(await rowsOf(first.queryName)).toEqual([{ label: 'a', value: 1, more: 2 }]);
  const applied = await expectStatus(send('apply', queries, { allowBreaking: true }), 200);
  expect(applied.json.queries.map(({ breaking }) => breaking)).toEqual([false, true]);
  expect(await auditOf(root, applied)).toMatchObject({ parameters: { breaking: [second.queryName] } });
  expect(await rowsOf(second.queryName)).toEqual([{ label: 'a', value: 1 }]);
  expect((await planOf(queries)).queries).toEqual([]);
});

test('a query that is not Active is compared with what callers last got', async () => {
  const { id, queryName, file } = await publishQuery();
  await expectStatus(root.call('POST', `/api/v1/queries/${id}/deactivate`), 200);
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 1 as other' }), 200);
  const changed = { ...file, sql: WITHOUT_MORE };
  expect((await planOf([changed])).queries).toMatchObject([
    { action: 'activate', breaking: true, changes: [{ path: 'columns.more' }] },
  ]);
  await expectProblem(send('apply', [changed]), 409, 'breaking_change');
  expect((await planOf([file])).queries).toMatchObject([{ action: 'activate', breaking: false, changes: [] }]);
  await expectStatus(send('apply', [file]), 200);
  expect(await rowsOf(queryName)).toEqual([{ label: 'a', value: 1, more: 2 }]);
});

test('prune alone is not breaking', async () => {
  const { queryName, file } = await publishQuery();
  await expectStatus(send('apply', [], { prune: true }), 200);
  await expectProblem(root.run(queryName), 403, 'query_not_accessible');
  await expectStatus(send('apply', [file]), 200);
});

test('compatibility is a field of a file: the default is warn, and a file without it turns enforce off', async () => {
  const { id, file } = await publishQuery({ compatibility: 'enforce' });
  const compatibility = async () => (await root.call('GET', `/api/v1/queries/${id}`)).json.compatibility;
  expect((await planOf([{ ...file, compatibility: 'enforce' }])).queries).toEqual([]);
  expect((await planOf([file])).queries).toMatchObject([
    { action: 'change', before: { compatibility: 'enforce' }, breaking: false },
  ]);
  await expectProblem(send('apply', [{ ...file, compatibility: 'enforce', sql: WITHOUT_MORE }]), 409, 'breaking_change');
  expect(await compatibility()).toBe('enforce');
  await expectStatus(send('apply', [file]), 200);
  expect(await compatibility()).toBe('warn');
});
