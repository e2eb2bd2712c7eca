import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mcpOf } from '../support/http/mcp.ts';
import { expectProblem } from '../support/http/problem.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import {
  type ApiResponse,
  admin,
  type Caller,
  type ResultPage,
  startTestService,
  type TestService,
} from '../support/services/service.ts';

let service: TestService;
let author: Caller;
let caller: Caller;
let key: string;

beforeAll(async () => {
  service = await startTestService({ SLUICE_SNAPSHOT_MAX_ROWS: '600000', SLUICE_ROWS_DEFAULT: '10' });
  author = service.as(admin);
  ({ key } = await createKey(author, { name: 'incomplete' }));
  caller = service.as({ key });
});
afterAll(() => service.close());

const rows = (response: ApiResponse<ResultPage>) => response.json.Data.length;
const codeOf = (response: ApiResponse<ResultPage>): string => {
  if (typeof response.json.QueryMoreCode !== 'string') throw new Error(`no code: ${response.text.slice(0, 300)}`);
  return response.json.QueryMoreCode;
};
const numbers = (name: string, count: number, maxRows: number) =>
  publish(author, { name, sql: `select i as n from range(${count}) t(i) order by i`, maxRows });

describe("a query's maxRows", () => {
  test('returns the rows before it with a code, then reports the result as incomplete', async () => {
    const { queryName } = await numbers('Bound', 100, 25);
    const first = await caller.run(queryName);
    const second = await caller.run(queryName, [], { QueryMoreCode: codeOf(first) });
    const third = await caller.run(queryName, [], { QueryMoreCode: codeOf(second) });
    expect([rows(first), rows(second), rows(third), third.json.NextRowIndex]).toEqual([10, 10, 5, 25]);
    const problem = await expectProblem(caller.run(queryName, [], { QueryMoreCode: codeOf(third) }), 500, 'result_incomplete');
    expect(problem.detail).toContain('The query delivers at most 25 rows (its maxRows).');
    expect(third.headers.get('x-result-incomplete')).toContain('at most 25 rows');
    expect(problem.detail).toContain(problem.requestId);
    await expectProblem(caller.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '60' }), 500, 'result_incomplete');
    await expectProblem(caller.run(queryName, [], { RowIndex: '60' }), 500, 'result_incomplete');
  });

  test('within or at the end of the first page ends the page there', async () => {
    for (const [name, size] of [
      ['Within', '1000'],
      ['At the end', '25'],
    ] as const) {
      const { queryName } = await numbers(name, 100, 25);
      const first = await caller.run(queryName, [], { RowSize: size });
      expect([rows(first), first.json.NextRowIndex]).toEqual([25, 25]);
      expect(first.headers.get('x-result-incomplete')).toMatch(/^The query delivers at most 25 rows \(its maxRows\)\. Narrow it/);
      await expectProblem(caller.run(queryName, [], { QueryMoreCode: codeOf(first) }), 500, 'result_incomplete');
    }
  });

  test('does not apply to a result of exactly that many rows', async () => {
    const { queryName } = await numbers('Just', 25, 25);
    const whole = await caller.run(queryName, [], { RowSize: '1000' });
    expect([rows(whole), whole.json.QueryMoreCode]).toEqual([25, null]);
    expect(whole.headers.has('x-result-incomplete')).toBe(false);
    const first = await caller.run(queryName, [], { RowSize: '20' });
    const last = await caller.run(queryName, [], { QueryMoreCode: codeOf(first) });
    expect([rows(last), last.json.QueryMoreCode]).toEqual([5, null]);
  });
});

test('the limit of the installation works the same way', async () => {
  const { queryName } = await publish(author, { name: 'Endless', sql: 'select i as n from range(700000) t(i)' });
  const first = await caller.run(queryName, [], { RowSize: '1000' });
  const before = await caller.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '599500', RowSize: '1000' });
  expect([rows(before), before.json.NextRowIndex]).toEqual([500, 600_000]);
  const reason = 'Pages deliver at most 600,000 rows of a result (SLUICE_SNAPSHOT_MAX_ROWS). An export has all rows;';
  expect(before.headers.get('x-result-incomplete')).toContain(reason);
  const { detail } = await expectProblem(caller.run(queryName, [], { QueryMoreCode: codeOf(before) }), 500, 'result_incomplete');
  expect(detail).toContain(reason);
  const mcp = mcpOf(service, key);
  const page = await mcp.tool('execute_query', { queryName, queryMoreCode: codeOf(first), rowIndex: 599_990 });
  expect(page.note).toContain(reason);
  const refusal = await mcp.refusal('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
  expect(refusal).toMatchObject({ code: 50001, data: { reason: 'result_incomplete' } });
  expect(refusal.message).toContain(reason);
  expect(refusal.message).toContain('export_query');
});

test('the limit on bytes names its setting', async () => {
  const small = await startTestService({ SLUICE_SNAPSHOT_MAX_BYTES: String(1 << 20) });
  try {
    const root = small.as(admin);
    const { queryName } = await publish(root, { name: 'Wide', sql: "select repeat('x', 1000) as x from range(2000)" });
    const first = await root.run(queryName, [], { RowSize: '10' });
    const { detail } = await expectProblem(
      root.run(queryName, [], { QueryMoreCode: codeOf(first), RowIndex: '1900' }),
      500,
      'result_incomplete',
    );
    expect(detail).toContain(
      'Pages deliver at most 1,048,576 bytes of a result (SLUICE_SNAPSHOT_MAX_BYTES). An export has all rows;',
    );
  } finally {
    await small.close();
  }
});

describe('an error at row 500,000', () => {
  let queryName: string;
  beforeAll(async () => {
    const sql = `select i as n, cast(case when i = 499999 then 'canary' || i else i::varchar end as bigint) as v
      from range(550000) t(i)`;
    ({ queryName } = await publish(author, { name: 'Broken', sql }));
  });

  test('is reported on the page that reaches it, after the rows before it', async () => {
    const first = await caller.run(queryName, [], { RowSize: '1000' });
    expect(rows(first)).toBe(1000);
    const QueryMoreCode = codeOf(first);
    expect(rows(await caller.run(queryName, [], { QueryMoreCode, RowIndex: '200000' }))).toBe(1000);
    const response = await caller.run(queryName, [], { QueryMoreCode, RowIndex: '500000' });
    const problem = await expectProblem(Promise.resolve(response), 500, 'result_incomplete');
    expect(response.text).not.toMatch(/canary|bigint|Conversion|INT64/i);
    expect(problem.detail).toContain(problem.requestId);
    const lines = service.log().filter((line) => line.includes('canary499999'));
    expect(lines.some((line) => line.includes(first.headers.get('x-request-id') ?? ''))).toBe(true);
  });

  test('leaves no page before it with a null code', async () => {
    let response = await caller.run(queryName, [], { RowSize: '1000', RowIndex: '480000' });
    let read = response.status === 200 ? 480_000 + rows(response) : 0;
    for (let page = 0; page < 40 && response.status === 200; page++) {
      const QueryMoreCode = codeOf(response);
      response = await caller.run(queryName, [], { QueryMoreCode });
      if (response.status === 200) read += rows(response);
    }
    expect(response.status).toBe(500);
    expect(read).toBeLessThan(500_000);
  });

  test('fails the first call if that call reaches it', async () => {
    const problem = await expectProblem(caller.run(queryName, [], { RowIndex: '510000' }), 500, 'query_failed');
    const lines = service.log().filter((line) => line.includes(problem.requestId));
    expect(lines.join()).toContain('canary499999');
  });
});

describe('large cells and pages', () => {
  const text = (length: number) => `repeat('x', ${length})`;

  test('a cell of 1 MiB is returned, one byte more fails the call', async () => {
    const { queryName: fits } = await publish(author, { name: 'Fits', sql: `select ${text(1 << 20)} as t` });
    const response = await caller.run(fits);
    expect(response.text).toBe(`{"Data":[{"t":"${'x'.repeat(1 << 20)}"}],"RowSize":10,"NextRowIndex":1,"QueryMoreCode":null}`);
    const { queryName: over } = await publish(author, { name: 'Over', sql: `select 1 as n, ${text((1 << 20) + 1)} as t` });
    const problem = await expectProblem(caller.run(over), 500, 'cell_too_large');
    expect(problem.detail).toContain('1 MiB');
  });

  test('text is measured in bytes, not in characters or escapes', async () => {
    const { queryName: euro } = await publish(author, { name: 'Euro', sql: "select repeat('€', 400000) as t" });
    await expectProblem(caller.run(euro), 500, 'cell_too_large');
    const { queryName: quotes } = await publish(author, { name: 'Quotes', sql: `select repeat('"', ${1 << 20}) as t` });
    expect((await caller.run(quotes)).json.Data).toEqual([{ t: '"'.repeat(1 << 20) }]);
    const { queryName: bytes } = await publish(author, { name: 'Bytes', sql: `select ${text(1 << 20)}::blob as b` });
    expect((await caller.run(bytes)).status).toBe(200);
  });

  test('on a later page the result is incomplete there', async () => {
    const sql = `select i as n, case when i = 15 then ${text(1 << 21)} else 'x' end as t from range(30) t(i) order by i`;
    const { queryName } = await publish(author, { name: 'Later', sql });
    const first = await caller.run(queryName);
    const second = await caller.run(queryName, [], { QueryMoreCode: codeOf(first) });
    expect(rows(second)).toBe(5);
    await expectProblem(caller.run(queryName, [], { QueryMoreCode: codeOf(second) }), 500, 'result_incomplete');
  });

  test('a page ends at 16 MiB with a code, and the next continues with the next row', async () => {
    const sql = `select i as n, ${text(1_000_000)} as t from range(40) t(i) order by i`;
    const { queryName } = await publish(author, { name: 'Wide', sql });
    const seen: unknown[] = [];
    const counts: number[] = [];
    let headers: Record<string, string> = { RowSize: '1000' };
    for (;;) {
      const response = await caller.run(queryName, [], headers);
      expect(response.status).toBe(200);
      expect(response.text.length).toBeLessThan((16 << 20) + 1000);
      expect(response.json.RowSize).toBe(1000);
      seen.push(...response.json.Data.map((row) => row.n));
      counts.push(rows(response));
      expect(response.json.NextRowIndex).toBe(seen.length);
      if (response.json.QueryMoreCode === null) break;
      headers = { QueryMoreCode: response.json.QueryMoreCode };
    }
    expect(seen).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(counts).toEqual([16, 16, 8]);
  });
});
