import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, createUser } from '../../support/people/accounts.ts';
import { move, saveDraft } from '../../support/queries/changes.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let author: Account;
let publisher: Account;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['*'] });
  publisher = await createUser(service, 'publisher', { roles: ['Query Publisher'], databases: ['*'] });
});
afterAll(() => service?.close());

let count = 0;
const input = (name: string) => ({ name, database: 'Demo', sql: 'select 1 as n, 2 as m' });
const publishQuery = (more: Record<string, unknown> = {}) => publish(root, { ...input(`Enforced ${++count}`), ...more });
const withoutM = { sql: 'select 1 as n' };
const edit = (id: string, change: Record<string, unknown>, caller = root) =>
  caller.call<{ compatibility: string; version: number; draft: unknown }>('PATCH', `/api/v1/queries/${id}`, change);
const compatibilityOf = async (id: string) => (await root.call('GET', `/api/v1/queries/${id}`)).json.compatibility;

it('warn is the default: an activation that breaks callers is possible, and audited as breaking', async () => {
  const { id } = await publishQuery();
  expect(await compatibilityOf(id)).toBe('warn');
  await saveDraft(root, id, withoutM);
  const activated = await expectStatus(move(publisher.caller, id, 'activate'), 200);
  expect(await auditOf(root, activated)).toMatchObject({ action: 'query.activate', parameters: { breaking: 1, draft: 2 } });
});

it('says in the detail how many changes it does not list there', async () => {
  const { id } = await publishQuery({ sql: 'select 1 as a, 2 as b, 3 as c, 4 as d, 5 as e' });
  await saveDraft(root, id, { sql: 'select 1 as a' });
  const { detail, errors } = await expectProblem(move(root, id, 'activate', { ifNotBreaking: true }), 409, 'breaking_change');
  expect(errors).toHaveLength(4);
  expect(detail).toContain('The column d was removed. (1 more in errors.) Send allowBreaking');
});

it('ifNotBreaking refuses it for one request, with every change in words', async () => {
  const { id, queryName } = await publishQuery();
  await saveDraft(root, id, { sql: "select 'a' as n", maxRows: 5 });
  const refused = await expectProblem(move(publisher.caller, id, 'activate', { ifNotBreaking: true }), 409, 'breaking_change');
  expect(refused.errors).toEqual([
    {
      field: 'columns.n',
      code: 'breaking_change',
      message: expect.stringMatching(/^The type of the column n changed from INTEGER to /),
    },
    { field: 'columns.m', code: 'breaking_change', message: 'The column m was removed.' },
    { field: 'maxRows', code: 'breaking_change', message: 'The row limit was lowered from none to 5.' },
  ]);
  expect(refused.detail).toContain('The column m was removed.');
  expect(refused.detail).toContain('allowBreaking');
  expect((await root.run(queryName)).json.Data).toEqual([{ n: 1, m: 2 }]);
  await saveDraft(root, id, { sql: 'select 1 as n, 2 as m, 3 as o', maxRows: null });
  await expectStatus(move(publisher.caller, id, 'activate', { ifNotBreaking: true }), 200);
});

it('enforce refuses it unless the request allows it', async () => {
  const { id } = await publishQuery({ compatibility: 'enforce' });
  expect(await compatibilityOf(id)).toBe('enforce');
  await saveDraft(root, id, withoutM);
  for (const body of [undefined, {}, { allowBreaking: false }, { ifNotBreaking: true }])
    await expectProblem(move(publisher.caller, id, 'activate', body), 409, 'breaking_change');
  await expectFieldProblem(
    move(publisher.caller, id, 'activate', { allowBreaking: true, ifNotBreaking: true }),
    'field_invalid',
    'ifNotBreaking',
  );
  await expectFieldProblem(move(publisher.caller, id, 'activate', { force: true }), 'field_unknown', 'force');
  await expectProblem(move(author.caller, id, 'activate', { allowBreaking: true }), 403, 'permission_denied');
  await expectStatus(move(publisher.caller, id, 'activate', { allowBreaking: true }), 200);
  expect(await compatibilityOf(id)).toBe('enforce');
});

it('enforce compares with what callers last got, so that a deactivation does not bypass it', async () => {
  const { id } = await publishQuery({ compatibility: 'enforce' });
  await expectStatus(move(root, id, 'deactivate'), 200);
  await expectStatus(move(root, id, 'activate'), 200); // the same version
  await expectStatus(move(root, id, 'deactivate'), 200);
  await saveDraft(root, id, withoutM);
  await expectProblem(move(root, id, 'activate'), 409, 'breaking_change');
  for (const step of ['void', 'restore', 'validate']) await expectStatus(move(root, id, step), 200);
  await expectProblem(move(root, id, 'activate'), 409, 'breaking_change');
  await expectStatus(move(root, id, 'activate', { allowBreaking: true }), 200);
});

it('applies to an Active query at once; authors can turn it on, only publishers can turn it off', async () => {
  const { id } = await publishQuery();
  await saveDraft(author.caller, id, withoutM);
  expect((await expectStatus(edit(id, { compatibility: 'enforce' }, author.caller), 200)).json).toMatchObject({
    compatibility: 'enforce',
    draft: { status: 'Validated' },
  });
  await expectProblem(move(publisher.caller, id, 'activate'), 409, 'breaking_change');
  await expectProblem(edit(id, { compatibility: 'warn' }, author.caller), 403, 'permission_denied');
  await expectProblem(edit(id, { compatibility: 'warn', sql: 'select 1 as n' }, author.caller), 403, 'permission_denied');
  expect(await compatibilityOf(id)).toBe('enforce');
  await expectStatus(edit(id, { tip: 'by the author', compatibility: 'enforce' }, author.caller), 200);
  await expectStatus(edit(id, { compatibility: 'warn' }, publisher.caller), 200);
  await expectStatus(move(publisher.caller, id, 'activate'), 200);
});

it('changes only if a request names it', async () => {
  const { id } = await publishQuery();
  const { name } = (await root.call<{ name: string }>('GET', `/api/v1/queries/${id}`)).json;
  await expectStatus(edit(id, { compatibility: 'enforce' }), 200);
  await expectStatus(author.caller.call('PUT', `/api/v1/queries/${id}`, { ...input(name), tip: 'replaced' }), 200);
  await expectStatus(author.caller.call('POST', `/api/v1/queries/${id}/versions/1/restore`), 200);
  expect(await compatibilityOf(id)).toBe('enforce');
  await expectFieldProblem(edit(id, { compatibility: 'strict' }), 'field_invalid', 'compatibility');
  await expectFieldProblem(edit(id, { compatibility: null }), 'field_invalid', 'compatibility');
});
