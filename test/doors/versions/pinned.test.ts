import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createQueryUser, createUser } from '../../support/people/accounts.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let ann: Account;
let now = Date.now;
beforeAll(async () => {
  service = await startTestService({}, () => now());
  root = service.as(admin);
  ann = await createQueryUser(service, 'ann');
});
afterAll(() => service?.close());

const DAY_MS = 86_400_000;
let count = 0;

/** A query whose first version has one column and a parameter, and whose later versions have others. */
async function publishVersions(more: Record<string, unknown> = {}, next: Record<string, unknown> = {}) {
  const query = await publish(root, {
    name: `Pinned ${++count}`,
    sql: "select 'item ' || i as label, i as value, @Old as old from range(1, 4) r(i) order by i",
    parameters: [{ name: '@Old', dataType: 'int', required: false, default: '1' }],
    ...more,
  });
  await activate(query.id, { sql: "select 'now' as label, 2 as value", parameters: [], ...next });
  return query;
}
async function activate(id: string, change: Record<string, unknown>): Promise<void> {
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, change), 200);
  for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
}
const retire = (id: string, version: number, body?: unknown, caller = root) =>
  caller.call<Record<string, unknown>>('POST', `/api/v1/queries/${id}/versions/${version}/retire`, body);
const versionOf = ({ headers }: { headers: Headers }) => headers.get('X-Query-Version');

/** The doors that return rows of a query, by its name. */
const doors: Readonly<Record<string, (caller: Caller, name: string) => ReturnType<Caller['call']>>> = {
  REST: (caller, QueryName) => caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName, Parameters: [] }),
  'the second form': (caller, name) => caller.call('POST', `/api/query/execute/${name}`, {}),
  'chart data': (caller, QueryName) => caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', { QueryName, Parameters: [] }),
  Summary: (caller, QueryName) =>
    caller.call('POST', '/api/v1/ChartBuilder/Summary', {
      QueryName,
      Parameters: [],
      labelColumn: 'label',
      dataColumn: ['value'],
      aggregate: 'sum',
    }),
  exports: (caller, QueryName) => caller.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', { QueryName, Parameters: [] }),
  '/data': (caller, name) => caller.call('GET', `/data/${name}.csv`, undefined, { 'Accept-Encoding': 'identity' }),
};

describe.each(Object.entries(doors))('over %s', (_door, run) => {
  it('a call runs the version that it names, and says that there is a later one', async () => {
    const { id, queryName } = await publishVersions();
    const current = await expectStatus(run(ann.caller, queryName), 200);
    expect(current.text).toContain('now');
    expect(versionOf(current)).toBe('2');
    expect(current.headers.get('Deprecation')).toBeNull();

    const pinned = await expectStatus(run(ann.caller, `${queryName}@1`), 200);
    expect(pinned.text).toContain('item 3');
    expect(versionOf(pinned)).toBe('1');
    const [, at] = /^@(\d+)$/.exec(pinned.headers.get('Deprecation') ?? '') ?? [];
    expect(Math.abs(Number(at) * 1000 - Date.now())).toBeLessThan(60_000);
    expect(pinned.headers.get('Link')).toMatch(new RegExp(`^<${service.url}/[^>]*${queryName}[^>@]*>; rel="successor-version"$`));
    expect(pinned.headers.get('Sunset')).toBeNull();

    const itself = await expectStatus(run(ann.caller, `${queryName}@2`), 200);
    expect(versionOf(itself)).toBe('2');
    expect(itself.headers.get('Deprecation')).toBeNull();

    const retiresAt = new Date(Math.floor((Date.now() + DAY_MS) / 1000) * 1000);
    await expectStatus(retire(id, 1, { at: retiresAt.toISOString() }), 200);
    const ending = await expectStatus(run(ann.caller, `${queryName}@1`), 200);
    expect(ending.headers.get('Sunset')).toBe(retiresAt.toUTCString());
    await expectStatus(retire(id, 1), 200);
    await expectProblem(run(ann.caller, `${queryName}@1`), 410, 'version_retired');
  });

  it('numbers that were never Active are 404 for callers of the query, and refused like an unknown query to others', async () => {
    const { id, queryName } = await publishVersions({ roles: ['Query User'] });
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 3 as value' }), 200); // a draft
    for (const number of ['3', '99', '0', '99999999999999999999'])
      await expectProblem(run(ann.caller, `${queryName}@${number}`), 404, 'version_unknown');
    for (const other of ['abc', '', '-1', '1.0', '1@1'])
      await expectProblem(run(ann.caller, `${queryName}@${other}`), 403, 'query_not_accessible');
    const ben = await createUser(service, `ben${count}`, { roles: ['Query Author'], databases: ['*'] });
    for (const number of ['', '@1', '@2', '@3', '@99'])
      await expectProblem(run(ben.caller, queryName + number), 403, 'query_not_accessible');
    await retire(id, 1);
    await expectProblem(run(ben.caller, `${queryName}@1`), 403, 'query_not_accessible');
    await expectStatus(root.call('POST', `/api/v1/queries/${id}/deactivate`), 200);
    await expectProblem(run(ann.caller, `${queryName}@2`), 403, 'query_not_accessible');
  });
});

describe('a pinned version', () => {
  it('keeps its number while labels change and when it is activated again', async () => {
    const query = await publish(root, { name: 'Relabeled', sql: 'select 1 as n' });
    const { id, queryName } = query;
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { tip: 'new' }), 200);
    const relabeled = await ann.caller.run(queryName);
    expect(versionOf(relabeled)).toBe('1');
    expect((await auditOf(root, relabeled)).queryVersion).toBe(1);
    expect((await root.call('GET', `/api/v1/queries/${id}`)).json).toMatchObject({ version: 2, activatedAs: 1 });
    const pinned = await expectStatus(ann.caller.run(`${queryName}@1`), 200);
    expect(pinned.headers.get('Deprecation')).toBeNull();
    await expectProblem(ann.caller.run(`${queryName}@2`), 404, 'version_unknown');
    for (const move of ['deactivate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    expect(versionOf(await ann.caller.run(`${queryName}@1`))).toBe('1');
    await activate(id, { sql: 'select 2 as n' });
    expect((await ann.caller.run(`${queryName}@1`)).json.Data).toEqual([{ n: 1 }]);
    expect(versionOf(await ann.caller.run(queryName))).toBe('3');
    // each number is listed once, with its latest version, and drafts are not
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { sql: 'select 3 as n' }), 200);
    const listed = await root.call<{ items: readonly object[] }>('GET', `/api/v1/queries/${id}/versions?activated=true`);
    expect(listed.json.items).toMatchObject([
      { version: 3, activatedAs: 3, status: 'current' },
      { version: 2, activatedAs: 1, status: null },
    ]);
    expect(listed.json.items).toHaveLength(2);
  });

  it('binds its own parameters, and has the roles of now', async () => {
    const { id, queryName } = await publishVersions();
    const old = [{ ParameterName: '@Old', Value: '7' }];
    expect((await ann.caller.run(`${queryName}@1`, old)).json.Data[0]).toMatchObject({ old: 7 });
    await expectProblem(ann.caller.run(queryName, old), 400, 'parameter_unknown');
    const { json } = await ann.caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${queryName}@1`);
    expect(json).toMatchObject({ QueryName: `${queryName}@1`, Parameters: [{ ParameterName: '@Old' }] });
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { roles: ['Administrator'] }), 200);
    await expectProblem(ann.caller.run(`${queryName}@1`, old), 403, 'query_not_accessible');
  });

  it('is paged by its own code, and later pages say which version ran', async () => {
    const { id, queryName } = await publishVersions();
    const page = (name: string, code: string | null) =>
      ann.caller.run(name, [], { RowSize: '1', ...(code === null ? {} : { QueryMoreCode: code, RowIndex: '1' }) });
    const first = (await expectStatus(page(`${queryName}@1`, null), 200)).json.QueryMoreCode;
    for (const name of [`${queryName}@1`, queryName]) {
      const next = await expectStatus(page(name, first), 200);
      expect(next.json.Data).toEqual([{ label: 'item 2', value: 2, old: 1 }]);
      expect(versionOf(next)).toBe('1');
      expect((await auditOf(root, next)).queryVersion).toBe(1);
    }
    expect((await page(`${queryName}@1`, first)).headers.get('Deprecation')).toMatch(/^@\d+$/);
    await expectProblem(page(`${queryName}@2`, first), 400, 'continuation_invalid');
    await retire(id, 1);
    expect((await page(`${queryName}@1`, first)).json.Data).toEqual([{ label: 'item 2', value: 2, old: 1 }]);
  });

  it('shares no result with another version', async () => {
    const cached = { cacheSeconds: 600, parameters: [], sql: 'select 1 as n' };
    const { queryName } = await publishVersions(cached, { sql: 'select 2 as n' });
    const rows = async (name: string) => (await ann.caller.run(name)).json.Data;
    const file = async (name: string) => (await ann.caller.call('GET', `/data/${name}.csv`)).text;
    for (let round = 0; round < 2; round++) {
      expect(await rows(`${queryName}@1`)).toEqual([{ n: 1 }]);
      expect(await rows(queryName)).toEqual([{ n: 2 }]);
      expect(await rows(`${queryName}@2`)).toEqual([{ n: 2 }]);
      expect(await file(`${queryName}@1`)).toBe('n\r\n1\r\n');
      expect(await file(queryName)).toBe('n\r\n2\r\n');
    }
    const [old, current] = await Promise.all(
      [`${queryName}@1`, queryName].map((name) => ann.caller.call('HEAD', `/data/${name}.csv`)),
    );
    expect(old?.headers.get('ETag')).not.toBe(current?.headers.get('ETag'));
    const unmodified = await ann.caller.call('GET', `/data/${queryName}@1.csv`, undefined, {
      'If-None-Match': current?.headers.get('ETag') ?? '',
    });
    expect(unmodified.text).toBe('n\r\n1\r\n');
  });

  it('is covered by a key that is restricted to its query, and by no other', async () => {
    const { queryName } = await publishVersions();
    const other = await publishVersions();
    const { key } = await createKey(ann.caller, { name: 'narrow', queries: [queryName] });
    const narrow = service.as({ key });
    expect((await narrow.run(`${queryName}@1`)).status).toBe(200);
    await expectProblem(narrow.run(`${other.queryName}@1`), 403, 'query_not_accessible');
  });

  it('needs its own database in scope, and AI access of its own if it writes', async () => {
    const file = await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (n int)']);
    const ledger = { name: 'Ledger', kind: 'duckdb', connection: { file }, writable: true };
    await expectStatus(root.call('POST', '/api/v1/databases', ledger), 201);
    const writing = { database: 'Ledger', parameters: [], sql: 'select 1 as n', epilogue: 'insert into log values (1)' };
    const { id, queryName } = await publishVersions(writing, { database: 'Demo', sql: 'select 2 as n', epilogue: null });
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { aiAccess: true }), 200);
    const limited = await createQueryUser(service, 'limited', { databases: ['Demo'] });
    expect((await limited.caller.run(queryName)).status).toBe(200);
    await expectProblem(limited.caller.run(`${queryName}@1`), 403, 'query_not_accessible');
    expect((await ann.caller.run(`${queryName}@1`)).json.Data).toEqual([{ n: 1 }]);
    const mcp = mcpOf(service, (await createKey(ann.caller, { name: 'writer' })).key);
    expect(await mcp.tool('execute_query', { queryName })).toMatchObject({ Data: [{ n: 2 }] });
    expect(await mcp.refusal('execute_query', { queryName: `${queryName}@1` })).toMatchObject({ code: 40301 });
  });
});

describe('an embed or a data link', () => {
  it('shows the version that it was created for, until that is retired', async () => {
    const { id, queryName } = await publishVersions();
    const { Token } = await embedOf(ann.caller, { queryName: `${queryName}@1` });
    const link = await linkOf(ann.caller, { queryName: `${queryName}@1` });
    const follows = await embedOf(ann.caller, { queryName });
    const read = () => service.as().call('GET', pathOf(link));
    const shown = await expectStatus(view(service.as(), Token), 200);
    expect(shown.text).toContain('item 3');
    expect(versionOf(shown)).toBe('1');
    expect(versionOf(await view(service.as(), follows.Token))).toBe('2');
    const rows = await expectStatus(read(), 200);
    expect(rows.text).toContain('item 3');
    expect(versionOf(rows)).toBe('1');
    expect(rows.headers.get('Link')).toBeNull(); // its readers may not run the query
    const { json } = await ann.caller.call<{ items: { queryName: string }[] }>('GET', `/api/v1/embeds?search=${queryName}@1`);
    expect(json.items).toMatchObject([{ queryName: `${queryName}@1` }]);

    await retire(id, 1);
    const gone = await view(service.as(), Token);
    expect(gone.status).toBe(410);
    expect(gone.text).not.toContain(queryName);
    const refused = await read();
    await expectProblem(Promise.resolve(refused), 410, 'version_retired');
    expect(refused.text).not.toContain(queryName);
    expect((await view(service.as(), follows.Token)).status).toBe(200);
    const { Token: pinnedToCurrent } = await embedOf(ann.caller, { queryName: `${queryName}@2` });
    await activate(id, { sql: "select 'third' as label, 3 as value" });
    expect((await view(service.as(), pinnedToCurrent)).text).toContain('now');
  });
});

describe('over MCP', () => {
  it('tools take a pinned name, and a model can correct a wrong one', async () => {
    const { id, queryName } = await publishVersions();
    const { key } = await createKey(ann.caller, { name: 'agent' });
    const mcp = mcpOf(service, key);
    const pinned = `${queryName}@1`;
    expect(await mcp.tool('execute_query', { queryName: pinned })).toMatchObject({ Data: [{ value: 1 }, {}, {}] });
    expect(await mcp.tool('execute_chart_query', { queryName: pinned })).toMatchObject({ Data: [{ value: 1 }, {}, {}] });
    expect(await mcp.tool('start_stream', { queryName: pinned })).toMatchObject({ Data: [{ value: 1 }, {}, {}] });
    expect(await mcp.tool('get_query_parameters', { queryName: pinned })).toMatchObject({
      queryName: pinned,
      parameters: [{ ParameterName: '@Old' }],
    });
    expect(await mcp.tool('get_query_detail', { queryName: pinned })).toMatchObject({ sql: expect.stringContaining('@Old') });
    expect(await mcp.refusal('execute_query', { queryName: `${queryName}@9` })).toMatchObject({
      code: 40401,
      data: { reason: 'version_unknown' },
    });
    await retire(id, 1);
    expect(await mcp.refusal('execute_query', { queryName: pinned })).toMatchObject({ code: 41002 });
    const { json } = await mcp.call('execute_query', { queryName: pinned }, { 'MCP-Protocol-Version': '2025-11-25' });
    expect(json.result).toMatchObject({ isError: true, _meta: { 'sluice/error': { code: 41002, reason: 'version_retired' } } });
    expect(JSON.stringify(json.result)).toContain(`${queryName}@2`);
  });
});

describe('retiring', () => {
  it('is for publishers, of versions that were Active and are not current', async () => {
    const { id, queryName } = await publishVersions();
    await expectProblem(retire(id, 2), 409, 'state_conflict');
    await expectProblem(retire(id, 3), 404, 'version_unknown');
    await expectProblem(retire(id, 1, { at: 'tomorrow' }), 400, 'field_invalid');
    const author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['*'] });
    await expectProblem(retire(id, 1, undefined, author.caller), 403, 'permission_denied');
    await expectProblem(retire(id, 1, undefined, ann.caller), 403, 'permission_denied');
    const at = new Date(Date.now() + DAY_MS).toISOString();
    const set = await expectStatus(retire(id, 1, { at }), 200);
    expect(set.json).toMatchObject({ version: 1, activatedAs: 1, retiresAt: at });
    expect(await auditOf(root, set)).toMatchObject({
      action: 'query.retire-version',
      query: queryName,
      queryVersion: 1,
      parameters: { retiresAt: at },
    });
    expect((await ann.caller.run(`${queryName}@1`)).status).toBe(200);
    now = () => Date.now() + 2 * DAY_MS;
    await expectProblem(ann.caller.run(`${queryName}@1`), 410, 'version_retired');
    now = Date.now;
    expect((await ann.caller.run(`${queryName}@1`)).status).toBe(200);
  });
});
