import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { type Account, type ApiKey, createKey, createUser } from '../../support/people/accounts.ts';
import { executionsOf, startExport } from '../../support/queries/exports.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type Caller,
  type List,
  type TestService,
  admin,
  expectStatus,
  startTestService,
} from '../../support/services/service.ts';
import { waitUntil } from '../../support/wait-until.ts';

const ENDLESS = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 3';
const MIDNIGHT = /resets at \d{4}-\d\d-\d\dT00:00:00\.000Z/;

let service: TestService;
let root: Caller;
let rows250: string;
let rows100: string;
let endless: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  ({ queryName: rows250 } = await publish(root, { name: 'Rows', sql: 'select range as n from range(250)', aiAccess: true }));
  ({ queryName: rows100 } = await publish(root, { name: 'Fewer', sql: 'select range as n from range(100)', aiAccess: true }));
  ({ queryName: endless } = await publish(root, { name: 'Endless', sql: ENDLESS, timeoutSeconds: 120 }));
});
afterAll(() => service.close());

let people = 0;
const newPerson = (): Promise<Account> =>
  createUser(service, `person-${++people}`, { roles: ['Administrator'], databases: ['*'] });
const keysOf = async (owner: Caller) =>
  (await expectStatus(owner.call<List<ApiKey & { rowsToday: number }>>('GET', '/api/v1/account/api-keys'), 200)).json.items;

/** Runs `second` while a query of the key is running, then cancels the first. */
async function whileOneRuns(key: string, work: () => Promise<void>): Promise<void> {
  const running = service.as({ key }).run(endless);
  const [execution] = await waitUntil(
    () => executionsOf(root),
    (all) => all[0]?.state === 'running',
    30_000,
  );
  try {
    await work();
  } finally {
    await expectStatus(root.call('DELETE', `/api/v1/executions/${execution?.id}`), 204);
    expect((await running).status).toBe(500);
  }
}

describe('a key that may run one query at a time', () => {
  test('refuses a second one immediately at every door, and accepts it after the first has ended', async () => {
    const person = await newPerson();
    const { key } = await createKey(person.caller, { limits: { concurrent: 1 } });
    const caller = service.as({ key });
    const { key: other } = await createKey(person.caller);
    const first = await caller.run(rows250, [], { RowSize: '100' });
    await waitUntil(
      () => executionsOf(root),
      (all) => all.length === 0,
    ); // reads the rest of its rows
    await whileOneRuns(key, async () => {
      const refused = await caller.run(rows250);
      const { detail } = await expectProblem(Promise.resolve(refused), 429, 'key_busy');
      expect(detail).toContain('its maximum number of queries (1)');
      expect(refused.headers.get('retry-after')).toBe('1');
      expect((await startExport(service, { key }, 'csv', { QueryName: rows250 })).status).toBe(429);
      const preview = caller.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql: 'select 1 as n' });
      await expectProblem(preview, 429, 'key_busy');
      const error = await mcpOf(service, key).refusal('execute_query', { queryName: rows250 });
      expect(error).toMatchObject({ code: 42901, data: { httpStatus: 429, reason: 'key_busy' } });

      // a stored result runs nothing
      const next = await caller.run(rows250, [], { QueryMoreCode: first.json.QueryMoreCode ?? '' });
      expect([next.status, next.json.Data.length]).toEqual([200, 100]);
      expect((await service.as({ key: other }).run(rows250)).status).toBe(200);
      expect((await person.caller.run(rows250)).status).toBe(200);
    });
    expect((await caller.run(rows250)).status).toBe(200);
  }, 60_000);

  test('can be set for every key, with immediate effect', async () => {
    const { key } = await createKey((await newPerson()).caller);
    await expectStatus(root.call('PATCH', '/api/v1/settings', { keyConcurrent: 1 }), 200);
    try {
      await whileOneRuns(key, async () => {
        await expectProblem(service.as({ key }).run(rows250), 429, 'key_busy');
      });
    } finally {
      await expectStatus(root.call('PATCH', '/api/v1/settings', { keyConcurrent: null }), 200);
    }
  }, 60_000);
});

describe('a key that may have 100 rows a day', () => {
  const limits = { rowsPerDay: 100 };

  test('gets the remaining rows in a page, then none until midnight at any door', async () => {
    const person = await newPerson();
    const { key, id } = await createKey(person.caller, { limits });
    const caller = service.as({ key });
    const first = await caller.run(rows250, [], { RowSize: '60' });
    const code = { QueryMoreCode: first.json.QueryMoreCode ?? '' };
    const second = await caller.run(rows250, [], code);
    const shown = [first, second].map(({ status, json }) => [status, json.Data.length, json.RowSize, json.NextRowIndex]);
    expect(shown).toEqual([
      [200, 60, 60, 60],
      [200, 40, 40, 100],
    ]);
    expect(second.json.QueryMoreCode).not.toBeNull();

    const refused = await caller.run(rows250);
    const { detail } = await expectProblem(Promise.resolve(refused), 429, 'rows_exceeded');
    expect(detail).toContain('has read 100 rows today; its limit is 100 a day');
    expect(detail).toMatch(MIDNIGHT);
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    expect(Math.abs(Number(refused.headers.get('retry-after')) - (midnight - Date.now()) / 1000)).toBeLessThan(60);

    await expectProblem(caller.run(rows250, [], code), 429, 'rows_exceeded');
    expect((await startExport(service, { key }, 'csv', { QueryName: rows250 })).status).toBe(429);
    const preview = caller.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql: 'select 1 as n' });
    await expectProblem(preview, 429, 'rows_exceeded');
    const mcp = mcpOf(service, key);
    for (const tool of ['execute_query', 'export_query', 'start_stream', 'execute_chart_query']) {
      const error = await mcp.refusal(tool, { queryName: rows250, ...(tool === 'export_query' ? { format: 'csv' } : {}) });
      expect(error).toMatchObject({ code: 42901, data: { httpStatus: 429, reason: 'rows_exceeded' } });
      expect(error.message).toMatch(MIDNIGHT);
    }

    // catalog tools return no rows
    await mcp.tool('list_queries');
    expect((await person.caller.run(rows250)).status).toBe(200);
    const listed = await waitUntil(
      () => keysOf(person.caller),
      ([item]) => item?.rowsToday === 100,
      30_000,
    );
    expect(listed).toMatchObject([{ id, rowsToday: 100, limits: { callsPerSecond: null, rowsPerDay: 100, concurrent: null } }]);
    await service.restart();
    await expectProblem(service.as({ key }).run(rows250), 429, 'rows_exceeded');
  }, 60_000);

  test('counts continued pages, files, exports and previews', async () => {
    const person = await newPerson();
    const mcp = async (): Promise<[string, ReturnType<typeof mcpOf>]> => {
      const { key } = await createKey(person.caller, { limits });
      return [key, mcpOf(service, key)];
    };
    const [, paging] = await mcp();
    const { QueryMoreCode } = await paging.tool('execute_query', { queryName: rows250, rowSize: 99 });
    const code = String(QueryMoreCode);
    await paging.tool('execute_query_next_page', { queryMoreCode: code });
    const beyond = await paging.refusal('execute_query_next_page', { queryMoreCode: code });
    expect(beyond.data.reason).toBe('rows_exceeded');

    const [filing, files] = await mcp();
    const { downloadUrl } = await files.tool('export_query', { queryName: rows100, format: 'csv' });
    await expectProblem(service.as({ key: filing }).run(rows250), 429, 'rows_exceeded');
    expect((await fetch(String(downloadUrl))).status).toBe(200); // its rows have been counted

    const [exporting] = await mcp();
    const whole = await startExport(service, { key: exporting }, 'csv', { QueryName: rows100 });
    expect((await whole.text()).trim().split('\n')).toHaveLength(101);
    await expectProblem(service.as({ key: exporting }).run(rows250), 429, 'rows_exceeded');

    const [previewing] = await mcp();
    const sql = 'select range as n from range(250)';
    await expectStatus(service.as({ key: previewing }).call('POST', '/api/v1/queries/preview', { database: 'Demo', sql }), 200);
    await expectProblem(service.as({ key: previewing }).run(rows250), 429, 'rows_exceeded');
  }, 60_000);
});

describe('a key that may have 100 rows a day, in parallel calls', () => {
  const limits = { rowsPerDay: 100 };
  const keyOf = async () => (await createKey((await newPerson()).caller, { limits })).key;

  test('never exceeds them with parallel exports', async () => {
    const { queryName } = await publish(root, { name: 'Thirty', sql: 'select range as n from range(30)' });
    const key = await keyOf();
    const responses = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await startExport(service, { key }, 'csv', { QueryName: queryName });
        return { status: response.status, rows: (await response.text()).trim().split('\n').length - 1 };
      }),
    );
    const whole = responses.filter(({ status }) => status === 200);
    expect(whole).toEqual(Array(3).fill({ status: 200, rows: 30 }));
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(9);
    expect((await service.as({ key }).run(rows250)).json.Data).toHaveLength(10); // what the others left over
    reportFigure(24, `12 parallel exports of a key with 100 rows a day: ${whole.length * 30} rows`);
  });

  test('never exceeds them with parallel pages', async () => {
    const key = await keyOf();
    const pages = await Promise.all(Array.from({ length: 12 }, () => service.as({ key }).run(rows250, [], { RowSize: '15' })));
    const rows = pages.filter(({ status }) => status === 200).map(({ json }) => json.Data.length);
    expect(rows.reduce((sum, each) => sum + each, 0)).toBe(100);
    expect(pages.filter(({ status }) => status === 429).length).toBe(12 - rows.length);
    reportFigure(24, `12 parallel pages: ${rows.reduce((sum, each) => sum + each, 0)} rows`);
  });

  test('is not charged for a result larger than the remaining rows, nor for a failed one', async () => {
    const key = await keyOf();
    const caller = service.as({ key });
    expect((await caller.run(rows250, [], { RowSize: '20' })).status).toBe(200);
    const refused = await startExport(service, { key }, 'csv', { QueryName: rows250 });
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('more rows than the 80')]);
    const file = await mcpOf(service, key).refusal('export_query', { queryName: rows250, format: 'csv' });
    expect(file).toMatchObject({ code: 42901, data: { reason: 'rows_exceeded' } });
    const broken = await publish(root, { name: 'Broken', sql: "select cast(concat('x', range) as int) as n from range(5)" });
    expect((await caller.run(broken.queryName)).status).toBe(500);
    expect((await caller.run(rows250)).json.Data).toHaveLength(80);
  });

  test('a long export is aborted when they are used up, and the rows sent are counted', async () => {
    const { queryName } = await publish(root, {
      name: 'Long',
      sql: "select range as n, repeat('x', 500) as t from range(100000)",
    });
    const { caller } = await newPerson();
    const { key } = await createKey(caller, { limits: { rowsPerDay: 50_000 } });
    const response = await startExport(service, { key }, 'csv', { QueryName: queryName });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    const [listed] = await waitUntil(
      () => keysOf(caller),
      ([item]) => (item?.rowsToday ?? 0) > 0,
      30_000,
    );
    expect(listed?.rowsToday).toBeGreaterThan(10_000);
    expect(listed?.rowsToday).toBeLessThanOrEqual(50_000);
  }, 60_000);
});

describe('a key with a row limit', () => {
  const embed = (queryName: string) =>
    `/api/v1/EmbeddedChart/GetEmbedUrl?${new URLSearchParams({ queryName, chartType: 'bar', labelColumn: 'n', dataColumn: 'n', expirationDays: '1' })}`;

  test('can neither create nor view embeds, because views are not counted', async () => {
    const person = await newPerson();
    const { key } = await createKey(person.caller, { limits: { rowsPerDay: 10 } });
    const { key: free } = await createKey(person.caller);
    const limited = service.as({ key });
    const { detail } = await expectProblem(limited.call('POST', embed(rows250)), 403, 'key_limited');
    expect(detail).toContain('daily row limit');
    const made = await expectStatus(service.as({ key: free }).call<{ Id: string }>('POST', embed(rows250)), 200);
    await expectProblem(limited.call('POST', `/api/v1/embeds/${made.json.Id}/regenerate`, {}), 403, 'key_limited');
    const urls = async (caller: Caller) => (await expectStatus(caller.call('GET', '/api/v1/embeds'), 200)).text;
    expect(await urls(limited)).not.toContain('token=');
    expect(await urls(service.as({ key: free }))).toContain('token=');
    await expectStatus(root.call('PATCH', '/api/v1/settings', { keyRowsPerDay: 500 }), 200);
    try {
      await expectProblem(service.as({ key: free }).call('POST', embed(rows250)), 403, 'key_limited');
    } finally {
      await expectStatus(root.call('PATCH', '/api/v1/settings', { keyRowsPerDay: null }), 200);
    }
    reportFigure(24, 'a key with a row limit: no embed made, regenerated or shown');
  });
});

test('a key has its own rate, and its limits cannot exceed the global ones', async () => {
  const { caller } = await newPerson();
  const { key } = await createKey(caller, { limits: { callsPerSecond: 1 } });
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await service.as({ key }).run(rows250)).status));
  expect(statuses.toSorted().slice(0, 1)).toEqual([200]);
  expect(statuses).toContain(429);

  await expectStatus(root.call('PATCH', '/api/v1/settings', { keyRowsPerDay: 500 }), 200);
  const ask = (limits: unknown) => caller.call('POST', '/api/v1/account/api-keys', { name: 'k', limits });
  try {
    expect(await expectFieldProblem(ask({ rowsPerDay: 501 }), 'field_invalid', 'limits.rowsPerDay')).toContain('500');
    await expectFieldProblem(ask({ concurrent: 0 }), 'field_invalid', 'limits.concurrent');
    await expectFieldProblem(ask({ rowsPerDay: 'many' }), 'field_invalid', 'limits.rowsPerDay');
    const { json } = await expectStatus(ask({ rowsPerDay: 500 }), 201);
    expect(json.limits).toEqual({ callsPerSecond: null, rowsPerDay: 500, concurrent: null });
  } finally {
    await expectStatus(root.call('PATCH', '/api/v1/settings', { keyRowsPerDay: null }), 200);
  }
});

describe.skipIf(postgresProblem() !== null)('two replicas', () => {
  test('deliver all rows of the limit of a key and no more, also with a new replica', async () => {
    const url = await createDatabase();
    const here = await startTestService({ SLUICE_METADATA_URL: url });
    const there = await startTestService({ SLUICE_METADATA_URL: url });
    try {
      const { queryName } = await publish(here.as(admin), { name: 'Rows', sql: 'select range as n from range(60)' });
      const { key } = await createKey(here.as(admin), { limits: { rowsPerDay: 100 } });
      const run = async (service: TestService, name = queryName) => (await service.as({ key }).run(name)).status;
      let sent = 0;
      const request = async (service: TestService): Promise<void> => {
        const { status, json } = await service.as({ key }).run(queryName);
        if (status === 200) sent += json.Data.length;
      };
      await Promise.all([request(here), request(there)]);
      expect(sent).toBeGreaterThanOrEqual(60);
      // one may be refused for a moment while the other holds rows
      const both = async () => {
        await Promise.all([request(here), request(there)]);
        return sent;
      };
      expect(await waitUntil(both, (rows) => rows >= 100, 30_000)).toBe(100);
      const counted = async () => (await keysOf(here.as(admin)))[0]?.rowsToday;
      expect(await waitUntil(counted, (rows) => rows === 100, 30_000)).toBe(100);
      const empty = await publish(here.as(admin), { name: 'None', sql: 'select range as n from range(0)' });
      const statuses = async () => [await run(here, empty.queryName), await run(there, empty.queryName)]; // these add no rows
      await expect.poll(statuses).toEqual([429, 429]);

      const newcomer = await startTestService({ SLUICE_METADATA_URL: url });
      try {
        await expectProblem(newcomer.as({ key }).run(queryName), 429, 'rows_exceeded');
      } finally {
        await newcomer.close();
      }
    } finally {
      await there.close();
      await here.close();
    }
  }, 120_000);
});
