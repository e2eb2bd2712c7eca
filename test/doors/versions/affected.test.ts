import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { type Account, createKey, createQueryUser, createUser } from '../../support/people/accounts.ts';
import { createVouchingApplication } from '../../support/people/viewers.ts';
import { changesOf, saveDraft } from '../../support/queries/changes.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let ann: Account;
let author: Account;
let now = Date.now;
beforeAll(async () => {
  service = await startTestService({}, () => now());
  root = service.as(admin);
  ann = await createQueryUser(service, 'ann');
  author = await createUser(service, 'author', { roles: ['Query Author'], databases: ['Demo'] });
});
afterAll(() => service?.close());

const DAY_MS = 86_400_000;
let count = 0;
const SQL = "select 'item ' || i as label, i as value from range(1, 6) r(i) where i >= @From order by i";
const parameters = [{ name: '@From', dataType: 'int', required: true }];
const publishQuery = (more: Record<string, unknown> = {}) =>
  publish(root, { name: `Affected ${++count}`, sql: SQL, parameters: [{ ...parameters[0], default: '1' }], ...more });

interface Callers {
  readonly callers: readonly Record<string, unknown>[];
  readonly moreCallers: number;
  readonly callersSince: string;
  readonly versions: readonly Record<string, unknown>[];
}
const callers = (id: string, search = '', caller = root) => caller.call<Callers>('GET', `/api/v1/queries/${id}/callers${search}`);
const callersOf = async (id: string, search = '') => (await expectStatus(callers(id, search), 200)).json;

describe('callers', () => {
  it('are those who received rows, with the credential, the channel and the version, and nothing else of the audit trail', async () => {
    const { id, queryName } = await publishQuery();
    const { key } = await createKey(ann.caller, { name: 'nightly' });
    for (let run = 0; run < 3; run++) await expectStatus(service.as({ key }).run(queryName), 200);
    await expectStatus(ann.caller.call('GET', `/data/${queryName}.csv`), 200);
    await expectStatus(ann.caller.run(`${queryName}@1`, [{ ParameterName: '@From', Value: 'x' }]), 400);
    const { Token } = await embedOf(ann.caller, { queryName });
    await expectStatus(view(service.as(), Token), 200);
    await saveDraft(root, id, { sql: "select 'all' as label, 1 as value", parameters: [] });
    const lastAt = expect.any(String);
    const ofAnn = { user: 'ann', kind: 'person', version: 1, lastAt };
    const found = await changesOf(author.caller, id);
    expect(found.callers).toEqual([
      { ...ofAnn, apiKey: 'nightly', channel: 'rest', calls: 3 },
      { ...ofAnn, apiKey: null, channel: 'embed', calls: 1 },
      { ...ofAnn, apiKey: null, channel: 'data', calls: 1 },
    ]);
    expect(found.versions).toEqual([{ version: 1, callers: 2, calls: 5, lastAt: found.callers[1]?.lastAt }]);
    await expectProblem(author.caller.call('GET', '/api/v1/audit'), 403, 'permission_denied');

    await expectStatus(root.call('POST', `/api/v1/queries/${id}/activate`), 200);
    await expectStatus(ann.caller.run(queryName), 200);
    await expectStatus(ann.caller.run(`${queryName}@1`), 200);
    const { versions } = await callersOf(id);
    expect(versions).toMatchObject([
      { version: 2, callers: 1, calls: 1 },
      { version: 1, callers: 2, calls: 6 },
    ]);
  });

  it('count executions, not pages, also over MCP', async () => {
    const { id, queryName } = await publishQuery({ parameters });
    const { key } = await createKey(ann.caller, { name: 'typed', queries: [queryName], tools: 'typed' });
    const from = [{ ParameterName: '@From', Value: '1' }];
    const first = await expectStatus(ann.caller.run(queryName, from, { RowSize: '2' }), 200);
    const code = first.json.QueryMoreCode ?? '';
    await expectStatus(ann.caller.run(queryName, from, { RowSize: '2', RowIndex: '2', QueryMoreCode: code }), 200);
    const mcp = mcpOf(service, key);
    const general = await mcp.tool('execute_query', { queryName, parameters: { '@From': 1 }, rowSize: 2 });
    for (const more of [{ queryName, parameters: { '@From': 1 } }, { queryName }])
      await mcp.tool('execute_query', { ...more, queryMoreCode: general.QueryMoreCode });
    const typed = await mcpOf(service).call(queryName.toLowerCase(), { From: 1, rowSize: 2 }, { 'X-API-Key': key });
    expect(typed.json.result).toMatchObject({ structuredContent: { Data: [{ value: 1 }, { value: 2 }] } });
    await mcp.tool('execute_query_next_page', { queryMoreCode: general.QueryMoreCode });
    await mcp.tool('get_query_detail', { queryId: queryName });
    const found = await callersOf(id);
    expect(found.callers.map(({ apiKey, channel, calls }) => [apiKey, channel, calls])).toEqual([
      ['typed', 'mcp', 2],
      [null, 'rest', 1],
    ]);
  });

  it('of an application are one, with the number of its viewers', async () => {
    const { id, queryName } = await publishQuery();
    const host = await createVouchingApplication(service, 'portal');
    for (const viewer of ['ana', 'rui', 'ana']) await expectStatus((await host.as(viewer)).run(queryName), 200);
    expect((await callersOf(id)).callers).toMatchObject([{ user: 'portal', kind: 'application', calls: 3, viewers: 2 }]);
  });

  it('are those of the last days, no longer ago than the audit trail is kept', async () => {
    const { id, queryName } = await publishQuery();
    await expectStatus(ann.caller.run(queryName), 200);
    now = () => Date.now() + 5 * DAY_MS;
    expect((await callersOf(id, '?days=4')).callers).toEqual([]);
    const all = await callersOf(id);
    expect(all.callers).toMatchObject([{ user: 'ann' }]);
    expect(Math.abs(Date.parse(all.callersSince) - (now() - 90 * DAY_MS))).toBeLessThan(60_000);
    await expectStatus(root.call('PATCH', '/api/v1/settings', { 'audit.retentionDays': 30 }), 200);
    expect(Math.abs(Date.parse((await callersOf(id)).callersSince) - (now() - 30 * DAY_MS))).toBeLessThan(60_000);
    await expectStatus(root.call('PATCH', '/api/v1/settings', { 'audit.retentionDays': 0 }), 200);
    now = Date.now;
  });

  it('are for authors and publishers who see the query', async () => {
    const { id } = await publishQuery();
    const publisher = await createUser(service, 'publisher', { roles: ['Query Publisher'], databases: ['Demo'] });
    const outside = await createUser(service, 'outside', { roles: ['Query Author'] });
    for (const { caller } of [author, publisher]) await expectStatus(callers(id, '', caller), 200);
    await expectProblem(callers(id, '', ann.caller), 403, 'permission_denied');
    await expectProblem(callers(id, '', outside.caller), 404, 'not_found');
    const { key } = await createKey(author.caller, { name: 'narrow', queries: ['QD_Customers_Demo'] });
    await expectProblem(callers(id, '', service.as({ key })), 403, 'credential_not_suitable');
  });
});

describe('dependants', () => {
  it('are embeds, links, typed keys and queries with its choices; some stay with a version', async () => {
    const { id, queryName } = await publishQuery();
    const embed = await embedOf(ann.caller, { queryName, title: 'Items' });
    const link = await linkOf(ann.caller, { queryName: `${queryName}@1`, name: 'Items as CSV' });
    const key = await createKey(ann.caller, { name: 'agent', queries: ['QD_Customers_Demo', queryName], tools: 'typed' });
    await createKey(ann.caller, { name: 'narrow', queries: [queryName] });
    const item = { name: '@Item', dataType: 'varchar', required: true, choices: { query: queryName, value: 'label' } };
    const other = await publishQuery({ sql: 'select @Item as item', parameters: [item] });
    const expected = [
      { kind: 'embed', id: embed.Id, name: 'Items', owner: 'ann', version: null },
      { kind: 'link', id: link.id, name: 'Items as CSV', owner: 'ann', version: 1 },
      { kind: 'typedKey', id: key.id, name: 'agent', owner: 'ann', version: null },
      { kind: 'choices', id: other.id, name: other.queryName, owner: 'admin', version: null },
    ];
    await saveDraft(root, id, { maxRows: 3 });
    expect(await changesOf(author.caller, id, '?days=1')).toMatchObject({ dependants: expected, moreDependants: 0, callers: [] });
    await expectStatus(view(service.as(), embed.Token), 200);
    await expectStatus(service.as().call('GET', pathOf(link)), 200);

    now = () => Date.now() + 100 * DAY_MS; // the embed, the link and the key have expired
    expect((await changesOf(root, id)).dependants).toEqual(expected.slice(3));
    now = Date.now;
    const moves = [`/queries/${other.id}/deactivate`, `/queries/${other.id}/void`];
    for (const path of moves) await expectStatus(root.call('POST', `/api/v1${path}`), 200);
    await expectStatus(ann.caller.call('DELETE', `/api/v1/account/api-keys/${key.id}`), 204);
    await expectStatus(ann.caller.call('DELETE', `/api/v1/embeds/${embed.Id}`), 204);
    expect((await changesOf(root, id)).dependants).toEqual(expected.slice(1, 2));
  });

  it('that the author may not see are counted, not named', async () => {
    const file = await makeDuckdbFile(service.files, 'elsewhere.duckdb', ['create table t (n int)']);
    await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Elsewhere', kind: 'duckdb', connection: { file } }), 201);
    const { id, queryName } = await publishQuery();
    const item = { name: '@Item', dataType: 'varchar', required: true, choices: { query: queryName, value: 'label' } };
    const hidden = await publishQuery({ database: 'Elsewhere', sql: 'select @Item as item', parameters: [item] });
    await saveDraft(root, id, { maxRows: 3 });
    expect((await changesOf(root, id)).dependants).toMatchObject([{ name: hidden.queryName }]);
    expect(await changesOf(author.caller, id)).toMatchObject({ dependants: [], moreDependants: 1 });
  });
});
