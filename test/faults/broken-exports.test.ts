import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryOf } from '../support/audit-entries.ts';
import { expectProblem } from '../support/http/problem.ts';
import { createKey } from '../support/people/accounts.ts';
import { countLines, exportFormats, startExport } from '../support/queries/exports.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;
let key: { key: string };
beforeAll(async () => {
  service = await startTestService();
  author = service.as(admin);
  key = await createKey(author, { name: 'exports' });
  caller = service.as(key);
});
afterAll(() => service.close());

const path = (format: string) => `/api/v1/Export/ExecuteQuery?format=${format}`;

describe('an error at row 500,000', () => {
  let queryName: string;
  beforeAll(async () => {
    const sql = `select i as n, cast(case when i = 499999 then 'canary' || i else i::varchar end as bigint) as v
      from range(550000) t(i)`;
    ({ queryName } = await publish(author, { name: 'Broken', sql }));
  });

  test.each(exportFormats)('aborts the connection: %s', async (format) => {
    const response = await startExport(service, key, format, { QueryName: queryName });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    const entry = await entryOf(author, response);
    expect(entry).toMatchObject({ action: 'query.export', outcome: 'failed', status: 500, query: queryName });
    expect(entry?.rows).toBeLessThan(500_000);
    const id = response.headers.get('x-request-id') ?? '';
    expect(service.log().some((line) => line.includes(id) && line.includes('canary499999'))).toBe(true);
  });

  test('aborts the connection when the body is compressed', async () => {
    const response = await startExport(service, key, 'csv', { QueryName: queryName }, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
  });

  test('creates no link', async () => {
    const body = { QueryName: queryName, Parameters: [] };
    const problem = await expectProblem(caller.call('POST', '/api/v1/Export/CreateLink?format=csv', body), 500, 'query_failed');
    expect(JSON.stringify(problem)).not.toContain('canary');
  });
});

describe('failures before the first byte get a problem response', () => {
  const failing = async (query: { name: string; sql: string; maxRows?: number }, status: number, code: string) => {
    const { queryName } = await publish(author, query);
    for (const format of ['csv', 'json', 'xlsx'])
      await expectProblem(caller.call('POST', path(format), { QueryName: queryName, Parameters: [] }), status, code);
  };
  test('a query that fails immediately', () => failing({ name: 'At once', sql: "select error('x') as n" }, 500, 'query_failed'));
  test('a low row limit', () =>
    failing({ name: 'Few', sql: 'select i from range(100) t(i)', maxRows: 10 }, 500, 'result_incomplete'));
  test('a cell over the limit', () =>
    failing({ name: 'Large', sql: `select repeat('x', ${(1 << 20) + 1}) as t` }, 500, 'cell_too_large'));
});

describe("a query's maxRows", () => {
  test('aborts a long export', async () => {
    const sql = 'select i, md5(cast(i as varchar)) as t from range(300000) r(i)';
    const { queryName } = await publish(author, { name: 'Bound', sql, maxRows: 200_000 });
    const response = await startExport(service, key, 'csv', { QueryName: queryName });
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    expect(await entryOf(author, response)).toMatchObject({ outcome: 'failed', status: 500 });
  });

  test('does not apply to a result of exactly that many rows', async () => {
    const { queryName } = await publish(author, { name: 'Just', sql: 'select i from range(100) t(i)', maxRows: 100 });
    const response = await startExport(service, key, 'ndjson', { QueryName: queryName });
    expect((await countLines(response.body)).lines).toBe(100);
  });
});
