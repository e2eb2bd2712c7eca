import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { createLink, type DataLink, linkOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let ann: Account;
let bob: Account;
let queryName: string;
const region = { name: '@Region', dataType: 'nvarchar(50)', required: true };
const secret = { name: '@Secret', dataType: 'nvarchar(50)', required: false, masked: true };
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  const sql = 'select @Region as region, length(@Secret) as n';
  queryName = (await publish(root, { name: 'Linked', sql, parameters: [region, secret] })).queryName;
  const make = (name: string) => createUser(service, name, { roles: ['Query User'], databases: ['*'] });
  [ann, bob] = [await make('ann'), await make('bob')];
});
afterAll(() => service?.close());

const body = (more = {}) => ({ queryName, parameters: { Region: 'North' }, ...more });
const list = async (caller: Caller, query = '') =>
  (await expectStatus(caller.call<List<DataLink & { issuer: string }>>('GET', `/api/v1/links${query}`), 200)).json.items;
const daysOf = ({ expiresAt }: DataLink) =>
  expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000);

describe('a data link', () => {
  it('is created with an address that ends in a file name, for 90 days unless another time is sent', async () => {
    const link = await linkOf(ann.caller, body({ name: 'Sales, by région' }));
    expect(link).toMatchObject({
      name: 'Sales, by région',
      format: 'csv',
      open: [],
      views: 0,
      lastUsedAt: null,
      asIssuer: false,
    });
    expect(link.url).toMatch(/\/data\/L[\w-]{80}\/Sales-by-r%C3%A9gion\.csv$/);
    expect(link.parameters).toEqual({ '@Region': 'North' });
    expect([daysOf(link), link.expiresInDays]).toEqual([90, 90]);
    expect((await linkOf(ann.caller, body({ expiresInDays: null }))).expiresAt).toBeNull();
    expect(daysOf(await linkOf(ann.caller, body({ expiresInDays: 3 })))).toBe(3);
    const entry = await auditOf(root, await createLink(ann.caller, body()));
    expect(entry).toMatchObject({ action: 'link.create', query: queryName, user: 'ann', channel: 'management', status: 201 });
    expect(JSON.stringify(entry)).not.toContain('/data/');
  });

  it('needs no value for a required parameter that readers may send', async () => {
    const link = await linkOf(ann.caller, { queryName, open: ['region'] });
    expect(link.open).toEqual(['@Region']);
    await expectFieldProblem(createLink(ann.caller, { queryName }), 'parameter_invalid', '@Region');
  });

  it('is refused with every problem named', async () => {
    const refused = (more: Record<string, unknown>) => createLink(ann.caller, body(more));
    await expectFieldProblem(refused({ format: 'pdf' }), 'field_invalid', 'format');
    await expectFieldProblem(refused({ name: ' ' }), 'field_invalid', 'name');
    await expectFieldProblem(refused({ name: 'a\nb' }), 'field_invalid', 'name');
    await expectFieldProblem(refused({ expiresInDays: 0 }), 'field_invalid', 'expiresInDays');
    await expectFieldProblem(refused({ expiresInDays: 4000 }), 'field_invalid', 'expiresInDays');
    await expectFieldProblem(refused({ open: ['@None'] }), 'parameter_unknown', 'open.0');
    await expectFieldProblem(refused({ parameters: { Region: 'x', None: 1 } }), 'parameter_unknown', 'None');
    await expectFieldProblem(refused({ colour: 'red' }), 'field_unknown', 'colour');
    await expectFieldProblem(refused({ expiresInDays: 'never' }), 'field_invalid', 'expiresInDays');
    const parameters = { Region: 'x', None: 1 };
    const several = await expectProblem(refused({ parameters, open: ['@Nobody'] }), 400, 'parameter_unknown');
    expect(several.errors?.map(({ field }) => field).toSorted()).toEqual(['None', 'open.0']);
    const form = await expectProblem(refused({ name: '', expiresInDays: 0 }), 400, 'field_invalid');
    expect(form.errors?.map(({ field }) => field)).toEqual(['name', 'expiresInDays']);
    await expectProblem(refused({ queryName: 'QD_None_Demo' }), 403, 'query_not_accessible');
  });

  it('takes values as a call does, and says what a value may be', async () => {
    const parameters = [{ ParameterName: '@Region', Value: 'North', DataType: null }];
    expect((await linkOf(ann.caller, { queryName, parameters })).parameters).toEqual({ '@Region': 'North' });
    const wrong = await expectFieldProblem(
      createLink(ann.caller, { queryName, parameters: { Region: {} } }),
      'field_invalid',
      'parameters.Region',
    );
    expect(wrong).toContain('Expected a text or a number');
  });

  it('is not created by a key that is narrowed or has a row limit, nor without the permission', async () => {
    const [narrow, limited] = [
      await createKey(ann.caller, { queries: [queryName] }),
      await createKey(ann.caller, { limits: { rowsPerDay: 10 } }),
    ];
    await expectProblem(createLink(service.as({ key: narrow.key }), body()), 403, 'credential_not_suitable');
    await expectProblem(createLink(service.as({ key: limited.key }), body()), 403, 'key_limited');
    expect((await list(service.as({ key: limited.key })))[0]?.url, 'nor shown to it').toBeNull();
    await root.call('POST', '/api/v1/roles', { name: 'Runner', permissions: ['queries.run'] });
    const runner = await createUser(service, 'runner', { roles: ['Runner'], databases: ['*'] });
    await expectProblem(createLink(runner.caller, body()), 403, 'permission_denied');
  });

  it('is refused for queries that write or whose rows depend on the caller', async () => {
    const bound = { name: '@Who', dataType: 'nvarchar(50)', required: true, boundTo: 'user.name' };
    const { queryName: own } = await publish(root, { name: 'Own rows', sql: 'select @Who as who', parameters: [bound] });
    await expectProblem(createLink(ann.caller, { queryName: own }), 409, 'bound_to_caller');
    await expectProblem(createLink(ann.caller, { queryName: own, open: ['@Who'], asIssuer: true }), 400, 'parameter_bound');
    expect(await linkOf(ann.caller, { queryName: own, asIssuer: true })).toMatchObject({ asIssuer: true });
  });

  it('is stored with sealed values, which its issuer sees unless they are masked', async () => {
    const link = await linkOf(bob.caller, body({ parameters: { Region: 'canary-of-a-region', Secret: 'canary-secret' } }));
    expect(link.parameters).toEqual({ '@Region': 'canary-of-a-region', '@Secret': '***' });
    const store = new DatabaseSync(join(service.folder, 'metadata.sqlite'), { readOnly: true });
    const row = store.prepare('select * from links where id = ?').get(link.id);
    store.close();
    expect(JSON.stringify(row)).not.toContain('canary');
    expect(JSON.stringify(row), 'the token is not stored').not.toContain(link.url.split('/').at(-2));
  });
});

describe('the list of data links', () => {
  it('shows users their own with addresses, newest first, and an Administrator all without addresses', async () => {
    const carl = await createUser(service, 'carl', { roles: ['Query User'], databases: ['*'] });
    const links = [await linkOf(carl.caller, body({ name: 'First' })), await linkOf(carl.caller, body({ name: 'Second' }))];
    expect((await list(carl.caller)).map(({ url }) => url)).toEqual(links.toReversed().map(({ url }) => url));
    const [all] = await list(root, '?search=first');
    expect(all).toMatchObject({ name: 'First', issuer: 'carl', url: null });
  });
});

describe('regenerating and revoking', () => {
  it('keeps the id, changes the address, and is left to the issuer and Administrators', async () => {
    const link = await linkOf(ann.caller, body({ expiresInDays: 5 }));
    const regenerate = (caller: Caller, sent?: unknown) =>
      caller.call<DataLink>('POST', `/api/v1/links/${link.id}/regenerate`, sent);
    await expectProblem(regenerate(bob.caller), 404, 'not_found');
    const again = (await expectStatus(regenerate(ann.caller), 200)).json;
    expect(again.id).toBe(link.id);
    expect(again.url).not.toBe(link.url);
    expect(daysOf(again)).toBe(5);
    expect((await regenerate(ann.caller, { expiresInDays: null })).json.expiresAt).toBeNull();
    expect((await expectStatus(regenerate(root), 200)).json.url, 'only the issuer gets the address').toBeNull();
    const revoke = (caller: Caller) => caller.call('DELETE', `/api/v1/links/${link.id}`);
    await expectProblem(revoke(bob.caller), 404, 'not_found');
    await expectStatus(revoke(root), 204);
    await expectProblem(revoke(ann.caller), 404, 'not_found');
  });
});
