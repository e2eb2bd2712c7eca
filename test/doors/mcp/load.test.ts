import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { type McpCaller, mcpOf } from '../../support/http/mcp.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

let service: TestService;
let mcp: McpCaller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_MAX_PER_USER: '1', SLUICE_MAX_IN_ALL: '2', SLUICE_QUEUE: '0' });
  mcp = mcpOf(service, (await createKey(service.as(admin))).key);
});
afterAll(() => service.close());

interface Running {
  readonly id: string;
  readonly state: string;
  readonly channel: string;
}

test('reports a reached limit immediately and a cancelled query as cancelled', async () => {
  const busy = 'select count(*) as n from range(10000000000) a(i), range(1000) b(j) where a.i % 7 = b.j % 7';
  const { queryName } = await publish(service.as(admin), { name: 'Busy', sql: busy });
  const others = await Promise.all(
    ['second', 'third'].map(async (name) => {
      const { caller } = await createUser(service, name, { roles: ['Query User'], databases: ['*'] });
      return mcpOf(service, (await createKey(caller)).key);
    }),
  );
  const running = async (): Promise<readonly Running[]> =>
    (await service.as(admin).call<{ items: Running[] }>('GET', '/api/v1/executions')).json.items;
  const quick = { queryName: 'QD_Sales_by_region_Demo' };

  const calls = [mcp.refusal('execute_query', { queryName })];
  await waitUntil(running, (items) => items.length === 1);
  expect(await mcp.refusal('execute_query', quick)).toMatchObject({
    code: 42901,
    data: { reason: 'user_busy', httpStatus: 429 },
  });
  calls.push(others[0]?.refusal('start_stream', { queryName }) ?? Promise.reject());
  await waitUntil(running, (items) => items.length === 2);
  const overloaded = await others[1]?.refusal('execute_query', quick);
  expect(overloaded).toMatchObject({
    code: 50301,
    message: expect.stringMatching(/Try again in \d+ s/),
    data: { httpStatus: 503 },
  });
  expect(await others[1]?.tool('list_databases'), 'calls without a query still work').toBeDefined();

  for (const { id, channel } of await running()) {
    expect(channel).toBe('mcp');
    await service.as(admin).call('DELETE', `/api/v1/executions/${id}`);
  }
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: 50001, data: { reason: 'query_cancelled' } });
  expect(await others[1]?.tool('execute_query', quick)).toMatchObject({ NextRowIndex: 6 });
});

test('reports a failure in mid-result when the reader reaches it', async () => {
  const sql = "select case when range = 300000 then error('broken') else range end as n from range(400000)";
  const { queryName } = await publish(service.as(admin), { name: 'Breaks', sql });
  const first = await mcp.call('start_stream', { queryName, chunkSize: 1000 });
  let token = first.json.result?.structuredContent as { streamToken?: string | null } | undefined; // absent when it failed immediately
  let error = first.json.error;
  for (let chunk = 0; chunk < 400 && error === undefined; chunk++) {
    expect(token?.streamToken, 'no neat end').not.toBeNull();
    const next = await mcp.call('resume_stream', { streamToken: token?.streamToken });
    error = next.json.error;
    token = next.json.result?.structuredContent as typeof token;
  }
  expect(error).toMatchObject({ code: 50001 });
});

test('reports an unavailable database, and works again when it is back', async () => {
  const file = await makeDuckdbFile(service.files, 'shaky.duckdb', ['create table t as select 1 as n']);
  const author = service.as(admin);
  const { json } = await author.call<{ id: string }>('POST', '/api/v1/databases', {
    name: 'Shaky',
    kind: 'duckdb',
    connection: { file },
  });
  const { queryName } = await publish(author, { name: 'Shaky', database: 'Shaky', sql: 'select n from t' });
  await writeFile(join(service.files, file), 'this is no database');
  await author.call('PATCH', `/api/v1/databases/${json.id}`, { description: 'damaged' });

  for (const tool of ['execute_query', 'execute_chart_query', 'start_stream', 'export_query'])
    expect(await mcp.refusal(tool, { queryName, ...(tool === 'export_query' ? { format: 'csv' } : {}) }), tool).toMatchObject({
      code: 50301,
      message: expect.stringMatching(/cannot be reached at the moment. Try again later/),
      data: { httpStatus: 503, reason: 'database_unavailable', requestId: expect.any(String) },
    });

  await rm(join(service.files, file));
  await makeDuckdbFile(service.files, file, ['create table t as select 7 as n']);
  expect(await mcp.tool('execute_query', { queryName })).toMatchObject({ Data: [{ n: 7 }] });
});
