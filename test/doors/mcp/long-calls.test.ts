import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execute, postgresProblem } from '../../support/databases/postgres.ts';
import {
  lockParameter,
  openSlowPostgres,
  type SlowPostgres,
  slowRows,
  withoutLock,
} from '../../support/databases/slow-postgres.ts';
import { blocksOf, contentOf, type McpCaller, mcpOf, rowsOf, type ToolContent } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import type { Execution } from '../../support/queries/exports.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  admin,
  type Caller,
  expectStatus,
  type List,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe.skipIf(postgresProblem() !== null)('calls that take longer than the gateway waits', () => {
  let service: TestService;
  let root: Caller;
  let pg: SlowPostgres;
  let key: string;
  let mcp: McpCaller;
  let slow: string;
  beforeAll(async () => {
    service = await startTestService({ SLUICE_MCP_WAIT_SECONDS: '1', SLUICE_DRAIN_SECONDS: '0' });
    root = service.as(admin);
    pg = await openSlowPostgres(root);
    ({ key } = await createKey(root, { name: 'long' }));
    mcp = mcpOf(service, key);
    slow = await pg.publish('Slow');
  });
  afterAll(async () => {
    await service.close();
    await pg.close();
  });

  /** Asks with the code until there are rows. */
  const follow = (first: ToolContent, caller = mcp): Promise<ToolContent> =>
    waitUntil(
      async () =>
        first.status === 'running' ? caller.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode }) : first,
      ({ status }) => status !== 'running',
    );
  /** Asks with the code until the query fails. */
  const awaitFailure = async (queryMoreCode: unknown) =>
    (
      await waitUntil(
        () => mcp.call('execute_query_next_page', { queryMoreCode }),
        ({ json }) => json.error !== undefined,
      )
    ).json.error;
  const executions = async () => (await root.call<List<Execution>>('GET', '/api/v1/executions')).json.items;
  const isIdle = async (name: string) =>
    expect(
      await waitUntil(
        () => pg.active(name),
        (count) => count === 0,
      ),
    ).toBe(0);

  test('get a code that waits for the same execution', async () => {
    const lock = await pg.hold();
    const first = await mcp.tool('execute_query', { queryName: slow, parameters: lock.parameters, rowSize: 2 });
    expect(first).toEqual({
      Data: [],
      RowSize: 2,
      NextRowIndex: 0,
      QueryMoreCode: expect.any(String),
      status: 'running',
      note: expect.stringMatching(/still running.*Call execute_query_next_page with this code as queryMoreCode.*Do not start/),
    });
    const [execution, ...others] = await executions();
    expect([execution, others]).toMatchObject([{ query: slow, state: 'running', channel: 'mcp' }, []]);
    const again = await mcp.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
    expect([again.status, again.QueryMoreCode]).toEqual(['running', first.QueryMoreCode]);
    expect((await executions()).map(({ id }) => id)).toEqual([execution?.id]);
    expect(await pg.active('Slow')).toBe(1);
    await lock.release();
    const page = await follow(again);
    expect(page).toMatchObject({ Data: slowRows.slice(0, 2), RowSize: 2, NextRowIndex: 2, QueryMoreCode: expect.any(String) });
    expect(page).not.toHaveProperty('status');
    const last = await mcp.tool('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
    expect(last).toMatchObject({ Data: slowRows.slice(2), NextRowIndex: 3, QueryMoreCode: null });
    // the first code stands for the first page
    expect(rowsOf(await mcp.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode }))).toEqual(
      slowRows.slice(0, 2),
    );
  });

  test('return their rows also to the same tool with the code, to REST with the code, and to two calls at once', async () => {
    const lock = await pg.hold();
    const sent = { queryName: slow, parameters: lock.parameters };
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', sent);
    const body = [{ ParameterName: '@Lock', Value: lock.parameters['@Lock'], DataType: 'int' }];
    const answers = Promise.all([
      mcp.tool('execute_query', { ...sent, queryMoreCode }).then((content) => follow(content)),
      mcp.tool('execute_query_next_page', { queryMoreCode }).then((content) => follow(content)),
      service.as({ key }).run(slow, body, { QueryMoreCode: String(queryMoreCode) }),
    ]);
    await lock.release();
    const [one, other, rest] = await answers;
    expect([one.Data, other.Data, rest.json.Data]).toEqual([slowRows, slowRows, slowRows]);
    expect([one.QueryMoreCode, rest.json.QueryMoreCode]).toEqual([null, null]);
  });

  test('keep the shape and the columns of the first call, and refuse columns that the result does not have', async () => {
    const lock = await pg.hold();
    const sent = { queryName: slow, parameters: lock.parameters };
    const first = await mcp.tool('execute_query', { ...sent, shape: 'table', columns: ['WORD'] });
    expect(first).toMatchObject({ Data: [], status: 'running' });
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', { ...sent, columns: ['none'] });
    await lock.release();
    expect(await follow(first)).toMatchObject({
      Columns: ['word'],
      Data: slowRows.map(({ word }) => [word]),
      QueryMoreCode: null,
    });
    expect(await awaitFailure(queryMoreCode)).toMatchObject({ code: -32602, message: expect.stringContaining('none') });
  });

  test('are recorded per call: without rows as long as there are none', async () => {
    const lock = await pg.hold();
    const first = await mcp.tool('execute_query', { queryName: slow, parameters: lock.parameters });
    await lock.release();
    await follow(first);
    const { json } = await root.call<List<Record<string, unknown>>>('GET', `/api/v1/audit?query=${slow}`);
    const started = json.items.findIndex(({ action }) => action === 'execute_query');
    const [last, ...waited] = json.items.slice(0, started + 1); // on a busy machine it is asked for more than once
    expect(last).toMatchObject({ action: 'execute_query_next_page', outcome: 'ok', status: 200, rows: 3 });
    expect(waited.length).toBeGreaterThan(0);
    for (const entry of waited) expect(entry).toMatchObject({ outcome: 'ok', status: 200, rows: null });
  });

  test('of a stream get a token for its first chunk', async () => {
    const lock = await pg.hold();
    const first = await mcp.tool('start_stream', { queryName: slow, parameters: lock.parameters, chunkSize: 2 });
    expect(first).toMatchObject({ Data: [], chunkIndex: 0, rowsSent: 0, status: 'running' });
    expect(first.note).toMatch(/Call resume_stream with this code as streamToken/);
    await lock.release();
    const chunk = await waitUntil(
      () => mcp.tool('resume_stream', { streamToken: first.streamToken }),
      ({ status }) => status !== 'running',
    );
    expect(chunk).toMatchObject({ Data: slowRows.slice(0, 2), chunkIndex: 0, rowsSent: 2 });
    const last = await mcp.tool('resume_stream', { streamToken: chunk.streamToken });
    expect(last).toMatchObject({ Data: slowRows.slice(2), chunkIndex: 1, rowsSent: 3, streamToken: null });
  });

  test('of a chart get its picture with execute_chart_query and the code', async () => {
    const chart = { chartType: 'bar', labelColumn: 'word', dataColumn: 'n' };
    const lock = await pg.hold();
    const first = await mcp.tool('execute_chart_query', { queryName: slow, parameters: lock.parameters, ...chart });
    expect(first).toMatchObject({ Columns: [], Data: [], status: 'running' });
    expect(first.note).toMatch(/Call execute_chart_query with this code as queryMoreCode and the same chart arguments/);
    await lock.release();
    const response = await waitUntil(
      () => mcp.call('execute_chart_query', { queryMoreCode: first.QueryMoreCode, ...chart }),
      (each) => contentOf(each).status !== 'running',
    );
    expect(contentOf(response)).toMatchObject({ Data: slowRows, Columns: [{ Name: 'n', Type: 'numeric' }, { Name: 'word' }] });
    expect(blocksOf(response)[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
  });

  test('of a typed tool get a code for execute_query_next_page', async () => {
    const typed = await createKey(root, { name: 'typed', queries: [slow], tools: 'typed' });
    const headers = { 'X-API-Key': typed.key };
    const lock = await pg.hold();
    const first = await mcpOf(service).tool(slow.toLowerCase(), { Lock: lock.parameters['@Lock'] }, headers);
    expect(first).toMatchObject({ Data: [], status: 'running' });
    await lock.release();
    expect((await follow(first, mcpOf(service, typed.key))).Data).toEqual(slowRows);
    await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${typed.id}`), 204);
  });

  test('are refused to other users, and to a user whose rights were withdrawn', async () => {
    const own = await pg.publish('Withdrawn');
    const { parameters } = await pg.hold();
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', { queryName: own, parameters });
    const sent = { queryMoreCode };
    const { caller, id } = await createQueryUser(service, 'other');
    const foreign = await createKey(caller);
    expect(await mcpOf(service, foreign.key).refusal('execute_query_next_page', sent)).toMatchObject({ code: 40301 });
    const narrow = await createKey(root, { name: 'narrow', queries: [slow] });
    expect(await mcpOf(service, narrow.key).refusal('execute_query_next_page', sent)).toMatchObject({ code: 40301 });
    await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${narrow.id}`), 204);
    expect(await mcpOf(service, narrow.key).refusal('execute_query_next_page', sent)).toMatchObject({ code: 40101 });
    const { json } = await root.call<List<{ id: string }>>('GET', '/api/v1/queries?search=Withdrawn');
    await expectStatus(root.call('POST', `/api/v1/queries/${json.items[0]?.id}/deactivate`), 200);
    expect(await mcp.refusal('execute_query_next_page', sent)).toMatchObject({ code: 40301 });
    await expectStatus(root.call('DELETE', `/api/v1/users/${id}`), 204);
  });

  test('are cancelled in their database by DELETE, and report that to callers with the code', async () => {
    const sent = { queryName: await pg.publish('Cancelled'), parameters: (await pg.hold()).parameters };
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', sent);
    const [execution] = (await executions()).filter(({ query }) => query === sent.queryName);
    const waiting = mcp.refusal('execute_query_next_page', { queryMoreCode });
    await expectStatus(root.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
    expect(await waiting).toMatchObject({ code: 50001, data: { reason: 'query_cancelled' } });
    expect(await mcp.refusal('execute_query_next_page', { queryMoreCode })).toMatchObject({
      data: { reason: 'query_cancelled' },
    });
    await isIdle('Cancelled');
    expect((await executions()).filter(({ query }) => query === sent.queryName)).toEqual([]);
  });

  test('continue when a caller that has a code disconnects, and end when it disconnects before', async () => {
    const lock = await pg.hold();
    const sent = { queryName: await pg.publish('Left'), parameters: lock.parameters };
    const post = (name: string, args: object, signal: AbortSignal) =>
      fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
        signal,
      });
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', sent);
    await expect(post('execute_query_next_page', { queryMoreCode }, AbortSignal.timeout(300))).rejects.toThrow();
    expect(await pg.active('Left')).toBe(1);
    await lock.release();
    expect((await follow({ status: 'running', QueryMoreCode: queryMoreCode })).Data).toEqual(slowRows);
    const { parameters } = await pg.hold();
    const leaving = new AbortController();
    const left = expect(post('execute_query', { ...sent, parameters }, leaving.signal)).rejects.toThrow();
    await waitUntil(
      () => pg.active('Left'),
      (count) => count === 1,
    );
    leaving.abort();
    await left;
    await isIdle('Left');
  });

  test('report the failure and the timeout of their query', async () => {
    const failing = 'select 1 / (length(s::text) - length(s::text)) as n from pass_lock(@Lock) s';
    const { queryName } = await publish(root, { name: 'Failing', database: 'Pg', sql: failing, parameters: [lockParameter] });
    const lock = await pg.hold();
    const { QueryMoreCode: failed } = await mcp.tool('execute_query', { queryName, parameters: lock.parameters });
    await lock.release();
    expect(await awaitFailure(failed)).toMatchObject({ code: 50001, data: { reason: 'query_failed' } });
    expect(service.log().find((line) => line.includes('division by zero') && line.includes(queryName))).toBeDefined();
    const late = await pg.publish('Late', { timeoutSeconds: 5 });
    const { parameters } = await pg.hold();
    const { QueryMoreCode: code } = await mcp.tool('execute_query', { queryName: late, parameters });
    expect(await awaitFailure(code)).toMatchObject({ code: 50401, data: { reason: 'query_timed_out' } });
  });

  test('count against the limits of their key until the first page is there', async () => {
    const limited = await createKey(root, { name: 'limited', limits: { concurrent: 1 } });
    const caller = mcpOf(service, limited.key);
    const lock = await pg.hold();
    const first = await caller.tool('execute_query', { queryName: slow, parameters: lock.parameters });
    const quick = { queryName: slow, parameters: withoutLock };
    expect(await caller.refusal('execute_query', quick)).toMatchObject({ code: 42901 });
    await lock.release();
    expect((await follow(first, caller)).Data).toEqual(slowRows);
    expect((await caller.tool('execute_query', quick)).Data).toEqual(slowRows);
    await expectStatus(root.call('DELETE', `/api/v1/account/api-keys/${limited.id}`), 204);
  });

  test('share one execution where the query shares its results', async () => {
    const lock = await pg.hold();
    const sent = { queryName: await pg.publish('Shared', { cacheSeconds: 60 }), parameters: lock.parameters };
    const both = await Promise.all([mcp.tool('execute_query', sent), mcp.tool('execute_query', sent)]);
    expect(both.map(({ status }) => status)).toEqual(['running', 'running']);
    expect(await pg.active('Shared')).toBe(1);
    await lock.release();
    const pages = await Promise.all(both.map((each) => follow(each)));
    expect(pages.map(({ Data }) => Data)).toEqual([slowRows, slowRows]);
    expect((await mcp.tool('execute_query', sent)).Data).toEqual(slowRows);
  });

  test('with an Epilogue show no row before it is committed', async () => {
    await execute(pg.url, 'create table log (n int)');
    const { queryName } = await publish(root, {
      ...{ name: 'Writing', database: 'Pg', parameters: [lockParameter], aiAccess: true },
      sql: "select g as n, 'row ' || g as word from generate_series(1, 3) g",
      epilogue: 'insert into log select 1 from pass_lock(@Lock)',
    });
    const lock = await pg.hold();
    const first = await mcp.tool('execute_query', { queryName, parameters: lock.parameters });
    expect(first).toMatchObject({ Data: [], status: 'running' });
    await lock.release();
    expect((await follow(first)).Data).toEqual(slowRows);
    expect(await execute(pg.url, 'select n from log')).toEqual([{ n: 1 }]);
  });

  test('end with the service', async () => {
    const sent = { queryName: await pg.publish('Stopped'), parameters: (await pg.hold()).parameters };
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', sent);
    await service.restart();
    await isIdle('Stopped');
    expect(await mcpOf(service, key).refusal('execute_query_next_page', { queryMoreCode })).toMatchObject({
      code: 50001,
      message: expect.stringContaining('stopped or restarted'),
    });
  });
});
