import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type McpCaller, mcpOf, rowsOf, type ToolContent } from '../../support/http/mcp.ts';
import { type Account, createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
let numbers: string; // 1 to @N
let person: Account;
beforeAll(async () => {
  service = await startTestService({ SLUICE_ROWS_MAX: '400' });
  person = await createUser(service, 'runner', { roles: ['Query User'], databases: ['*'] });
  const parameters = [{ name: '@N', dataType: 'int', required: true }];
  const sql = 'select range::int as n from range(1, @N + 1)';
  numbers = (await publish(service.as(admin), { name: 'Numbers', sql, parameters })).queryName;
});
afterAll(() => service.close());
let keyId: string;
beforeEach(async () => {
  if (keyId !== undefined) await person.caller.call('DELETE', `/api/v1/account/api-keys/${keyId}`);
  ({ key, id: keyId } = await createKey(person.caller));
  mcp = mcpOf(service, key);
});

const upTo = (count: number) => [{ ParameterName: '@N', Value: String(count) }];
const numbersOf = (content: ToolContent): unknown[] => rowsOf(content).map(({ n }) => n);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('pages', () => {
  test('are read by their code alone', async () => {
    const first = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(7), rowSize: 3 });
    expect([numbersOf(first), first.RowSize, first.NextRowIndex]).toEqual([[1, 2, 3], 3, 3]);
    const second = await mcp.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
    expect([numbersOf(second), second.RowSize, second.NextRowIndex]).toEqual([[4, 5, 6], 3, 6]);
    const third = await mcp.tool('execute_query_next_page', { queryMoreCode: second.QueryMoreCode });
    expect([numbersOf(third), third.NextRowIndex, third.QueryMoreCode]).toEqual([[7], 7, null]);
    // a code can be used twice and returns the same rows
    expect(await mcp.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode })).toEqual(second);
  });

  test('end exactly with the last row', async () => {
    expect((await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(3), rowSize: 3 })).QueryMoreCode).toBeNull();
    expect(await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(0), rowSize: 3 })).toEqual({
      Data: [],
      RowSize: 3,
      NextRowIndex: 0,
      QueryMoreCode: null,
    });
  });

  test('never contain more rows than the settings allow', async () => {
    for (const rowSize of [400, 401, 1000, 5000, 1e9, undefined]) {
      const page = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(500), rowSize });
      expect([rowSize, page.RowSize, rowsOf(page).length]).toEqual([rowSize, 400, 400]);
    }
  });

  test('have codes that work for REST and MCP', async () => {
    const first = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    const rest = await service.as({ key }).run(numbers, upTo(9), { QueryMoreCode: String(first.QueryMoreCode) });
    expect(rest.json.Data).toEqual([{ n: 3 }, { n: 4 }]);
    const third = await mcp.tool('execute_query_next_page', { queryMoreCode: rest.json.QueryMoreCode });
    expect(numbersOf(third)).toEqual([5, 6]);
    const chart = await mcp.tool('execute_chart_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    expect(numbersOf(await mcp.tool('execute_query_next_page', { queryMoreCode: chart.QueryMoreCode }))).toEqual([3, 4]);
  });

  test('end at about 512 KiB, with at least one row', async () => {
    const sql = "select range as n, repeat('x', 100_000) as wide from range(12)";
    const { queryName } = await publish(service.as(admin), { name: 'Wide', sql });
    const first = await mcp.tool('execute_query', { queryName, rowSize: 400 });
    expect([rowsOf(first).length, first.NextRowIndex]).toEqual([5, 5]);
    const second = await mcp.tool('execute_query_next_page', { queryMoreCode: first.QueryMoreCode });
    expect([rowsOf(second).length, second.NextRowIndex]).toEqual([5, 10]);
    const huge = await publish(service.as(admin), { name: 'Huge', sql: "select repeat('x', 900_000) as wide from range(2)" });
    const one = await mcp.tool('start_stream', { queryName: huge.queryName, fullCells: true });
    expect([rowsOf(one).length, one.streamToken]).toEqual([1, expect.any(String)]);
    expect(rowsOf(await mcp.tool('resume_stream', { streamToken: one.streamToken }))).toHaveLength(1);
  });
});

describe('streams', () => {
  test('are read chunk by chunk', async () => {
    const chunks = [await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(1000), chunkSize: 300 })];
    for (let last = chunks[0]; last?.streamToken !== null; last = chunks.at(-1))
      chunks.push(await mcp.tool('resume_stream', { streamToken: last?.streamToken }));
    expect(chunks.map(({ chunkIndex, rowsSent }) => [chunkIndex, rowsSent])).toEqual([
      [0, 300],
      [1, 600],
      [2, 900],
      [3, 1000],
    ]);
    expect(chunks.flatMap(numbersOf)).toEqual(range(1, 1000));
    expect(await mcp.tool('resume_stream', { streamToken: chunks[0]?.streamToken })).toEqual(chunks[1]);
  });

  test('of few rows end with the first chunk', async () => {
    expect(await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(1) })).toEqual({
      Data: [{ n: 1 }],
      chunkIndex: 0,
      rowsSent: 1,
      streamToken: null,
    });
  });

  test('start before the query has finished', async () => {
    const root = service.as(admin);
    const chunk = await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(4_000_000), chunkSize: 2 });
    const { json } = await root.call<{ items: { id: string; query: string; channel: string }[] }>('GET', '/api/v1/executions');
    const running = json.items.find(({ query }) => query === numbers);
    expect(running).toMatchObject({ channel: 'mcp', state: 'draining' });
    expect(numbersOf(await mcp.tool('resume_stream', { streamToken: chunk.streamToken }))).toEqual([3, 4]);
    await root.call('DELETE', `/api/v1/executions/${running?.id}`);
  });
});

describe('a code', () => {
  test.each(['execute_query_next_page', 'resume_stream'])('that is malformed is an invalid argument of %s', async (tool) => {
    const argument = tool === 'resume_stream' ? 'streamToken' : 'queryMoreCode';
    for (const code of ['x', 'B', 'B'.repeat(500), '💧', 'x'.repeat(5000)])
      expect(await mcp.refusal(tool, { [argument]: code })).toMatchObject({
        code: -32602,
        data: { reason: 'continuation_invalid' },
      });
  });

  test('works for its own kind only', async () => {
    const page = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    const chunk = await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(9), chunkSize: 2 });
    expect((await mcp.refusal('resume_stream', { streamToken: page.QueryMoreCode })).code).toBe(-32602);
    expect((await mcp.refusal('execute_query_next_page', { queryMoreCode: chunk.streamToken })).code).toBe(-32602);
    const rest = await service.as({ key }).run(numbers, upTo(9), { QueryMoreCode: String(chunk.streamToken) });
    expect(rest.status).toBe(400);
  });

  test('that was changed in any place is refused', async () => {
    const { QueryMoreCode } = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    const code = String(QueryMoreCode);
    for (let at = 0; at < code.length; at += 7) {
      const altered = code.slice(0, at) + (code[at] === 'A' ? 'B' : 'A') + code.slice(at + 1);
      expect((await mcp.refusal('execute_query_next_page', { queryMoreCode: altered })).code).toBe(-32602);
    }
  });

  test('of another user is refused, also to an administrator', async () => {
    const other = mcpOf(service, (await createKey(service.as(admin), { name: 'other' })).key);
    const page = await other.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    const chunk = await other.tool('start_stream', { queryName: numbers, parameters: upTo(9), chunkSize: 2 });
    expect(await mcp.refusal('execute_query_next_page', { queryMoreCode: page.QueryMoreCode })).toMatchObject({
      code: 40301,
      data: { reason: 'continuation_foreign' },
    });
    expect((await mcp.refusal('resume_stream', { streamToken: chunk.streamToken })).code).toBe(40301);
    const list = await other.tool('list_queries', { limit: 1 });
    expect((await mcp.refusal('list_queries', { limit: 1, cursor: list.nextCursor })).code).toBe(40301);
  });

  test('whose rows are gone is reported as expired', async () => {
    const page = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
    const chunk = await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(9), chunkSize: 2 });
    // read to the end, so that nothing is being written any more
    for (let code: unknown = page.QueryMoreCode; code !== null;)
      ({ QueryMoreCode: code } = await mcp.tool('execute_query_next_page', { queryMoreCode: code }));
    for (let token: unknown = chunk.streamToken; token !== null;)
      ({ streamToken: token } = await mcp.tool('resume_stream', { streamToken: token }));
    await rm(join(service.folder, 'snapshots'), { recursive: true });
    expect(await mcp.refusal('execute_query_next_page', { queryMoreCode: page.QueryMoreCode })).toMatchObject({
      code: 41001,
      message: expect.stringContaining('execute_query'),
    });
    expect(await mcp.refusal('resume_stream', { streamToken: chunk.streamToken })).toMatchObject({
      code: 41001,
      message: expect.stringContaining('start_stream'),
    });
    await service.restart(); // recreates the folder
  });

  test('ends with its key and with the permission to run the query', async () => {
    const begin = async () => {
      const page = await mcp.tool('execute_query', { queryName: numbers, parameters: upTo(9), rowSize: 2 });
      const chunk = await mcp.tool('start_stream', { queryName: numbers, parameters: upTo(9), chunkSize: 2 });
      return async () => [
        (await mcp.call('execute_query_next_page', { queryMoreCode: page.QueryMoreCode })).json.error?.code,
        (await mcp.call('resume_stream', { streamToken: chunk.streamToken })).json.error?.code,
      ];
    };
    const root = service.as(admin);
    const { json } = await root.call<{ items: { id: string; queryName: string }[] }>('GET', '/api/v1/queries?search=Numbers');
    const { id } = json.items.find(({ queryName }) => queryName === numbers) ?? { id: '' };

    const goOn = await begin();
    expect(await goOn()).toEqual([undefined, undefined]);
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { aiAccess: false }), 200);
    expect(await goOn()).toEqual([40301, 40301]);
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { aiAccess: true }), 200);
    await expectStatus(root.call('POST', `/api/v1/queries/${id}/deactivate`), 200);
    expect(await goOn()).toEqual([40301, 40301]);
    const audit = `/api/v1/audit?limit=2&query=${numbers}&channel=mcp`;
    expect((await root.call<{ items: unknown[] }>('GET', audit)).json.items).toMatchObject(
      ['resume_stream', 'execute_query_next_page'].map((action) => ({ action, query: numbers, outcome: 'refused', status: 403 })),
    );
    await expectStatus(root.call('POST', `/api/v1/queries/${id}/activate`), 200);
    await expectStatus(root.call('PATCH', `/api/v1/users/${person.id}`, { databases: [] }), 200);
    expect(await goOn()).toEqual([40301, 40301]);
    await expectStatus(root.call('PATCH', `/api/v1/users/${person.id}`, { databases: ['*'] }), 200);
    expect(await goOn()).toEqual([undefined, undefined]);
    await expectStatus(person.caller.call('DELETE', `/api/v1/account/api-keys/${keyId}`), 204);
    expect(await goOn()).toEqual([40101, 40101]);
  });
});
