import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, type McpCaller, mcpOf, rowsOf, type ToolContent } from '../../support/http/mcp.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
let key: string;
let wide: string; // 3,000 rows of about 250 bytes
let texts: string; // long ones
const BYTES = 65_536;
const long = 'x'.repeat(3000);

beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  ({ key } = await createKey(root, { name: 'model' }));
  mcp = mcpOf(service, key);
  const sql =
    'select range as "No", \'Region \' || (range % 7) as "Region", repeat(\'Customers bought it. \', 9) as "Remark", range * 1.50 as "Amount" from range(3000)';
  ({ queryName: wide } = await publish(root, { name: 'Wide', sql, columns: [{ name: 'Remark', displayName: 'Comment' }] }));
  const cells = `select i as n, case when i = 1 then repeat('x', 3000) when i = 2 then repeat('😀', 2000) else repeat('😀', 2001) end as t,
    {'a': repeat('j', 3000)} as doc from range(1, 4) r(i)`;
  ({ queryName: texts } = await publish(root, { name: 'Texts', sql: cells }));
});
afterAll(() => service.close());

const bytesOf = (content: ToolContent): number => Buffer.byteLength(JSON.stringify(content.Data));
const numbersOf = (pages: readonly ToolContent[]): unknown[] =>
  pages.flatMap((page) => (page.Data as unknown[]).map((row) => (Array.isArray(row) ? row[0] : (row as { No: number }).No)));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Follows the notes. */
async function readAll(first: ToolContent): Promise<ToolContent[]> {
  const pages = [first];
  for (let page = first; page.QueryMoreCode !== null;) {
    expect(page.note).toMatch(/execute_query_next_page/);
    page = await mcp.tool('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
    pages.push(page);
  }
  return pages;
}

describe('a page without a rowSize', () => {
  test.each(['rows', 'table'])('is sized in bytes as %s, and all rows are read once by following the notes', async (shape) => {
    const first = await mcp.tool('execute_query', { queryName: wide, shape });
    const pages = await readAll(first);
    expect(pages.every((page) => bytesOf(page) <= BYTES)).toBe(true);
    expect(pages.slice(0, -1).every((page) => bytesOf(page) > 0.9 * BYTES)).toBe(true);
    expect(first.note).toMatch(
      /^\d+ of more rows\. Continue with queryMoreCode, or use export_query for all of them\. execute_query_next_page takes the code/,
    );
    expect(pages.at(-1)).not.toHaveProperty('note');
    expect(numbersOf(pages)).toEqual(upTo(3000));
    expect(pages.every((page) => 'Columns' in page === (shape === 'table'))).toBe(true);
  });

  test('has more rows as a table or with fewer columns', async () => {
    const count = async (sent: object) => rowsOf(await mcp.tool('execute_query', { queryName: wide, ...sent })).length;
    const [rows, table, few] = [await count({}), await count({ shape: 'table' }), await count({ columns: ['no', 'AMOUNT'] })];
    expect(table).toBeGreaterThan(rows);
    expect(few).toBe(1000); // SLUICE_ROWS_MAX
  });

  test('has one row if that is larger', async () => {
    const sql = 'select range as "No", repeat(\'y\', 100_000) as t from range(3)';
    const { queryName } = await publish(service.as(admin), { name: 'Giant', sql });
    const first = await mcp.tool('execute_query', { queryName, fullCells: true });
    const pages = await readAll(first);
    expect(pages.map((page) => rowsOf(page).length)).toEqual([1, 1, 1]);
    expect(bytesOf(first)).toBeGreaterThan(100_000);
    const cut = await mcp.tool('execute_query', { queryName });
    expect([rowsOf(cut).length, cut.QueryMoreCode]).toEqual([3, null]);
  });

  test('has few rows of many tokens: numbers in a table', async () => {
    const sql =
      'select range as "No", range * 7919 as a, range * 104729 as b, range / 7 as c, range * 31 as d, range * 17 as e from range(3000)';
    const { queryName } = await publish(service.as(admin), { name: 'Dense', sql });
    const first = await mcp.tool('execute_query', { queryName, shape: 'table' });
    expect(bytesOf(first)).toBeLessThan(0.8 * BYTES);
    expect(numbersOf(await readAll(first))).toEqual(upTo(3000));
  });

  test('is as large as the setting says', async () => {
    const root = service.as(admin);
    await expectStatus(root.call('PATCH', '/api/v1/settings', { mcpPageBytes: 4096 }), 200);
    const pages = await readAll(await mcp.tool('execute_query', { queryName: wide, shape: 'table', columns: ['No', 'Comment'] }));
    expect(pages.every((page) => bytesOf(page) <= 4096)).toBe(true);
    expect(pages.slice(0, -1).every((page) => bytesOf(page) > 3800)).toBe(true);
    expect(numbersOf(pages)).toEqual(upTo(3000));
    await expectStatus(root.call('PATCH', '/api/v1/settings', { mcpPageBytes: null }), 200);
  });

  test('is read from a result that others share, too', async () => {
    const sql = 'select range as "No", repeat(\'z\', 300) as t from range(900)';
    const { queryName } = await publish(service.as(admin), { name: 'Shared', sql, cacheSeconds: 60 });
    for (const sent of [{}, {}, { shape: 'table' }, { columns: ['no'] }])
      expect(numbersOf(await readAll(await mcp.tool('execute_query', { queryName, ...sent })))).toEqual(upTo(900));
  });

  test('without rows has its columns as a table', async () => {
    const { queryName } = await publish(service.as(admin), { name: 'Nothing', sql: 'select 1 as a, 2 as b where false' });
    expect(await mcp.tool('execute_query', { queryName, shape: 'table', columns: ['B'] })).toEqual({
      ...{ Columns: ['b'], Data: [], RowSize: 1000, NextRowIndex: 0, QueryMoreCode: null },
    });
  });
});

describe('a rowSize', () => {
  test('returns that many rows, without cut cells and without a note', async () => {
    const page = await mcp.tool('execute_query', { queryName: wide, rowSize: 1000 });
    expect(rowsOf(page)).toHaveLength(1000);
    expect(Object.keys(page)).toEqual(['Data', 'RowSize', 'NextRowIndex', 'QueryMoreCode']);
    const next = await mcp.tool('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
    expect([rowsOf(next).length, 'note' in next]).toEqual([1000, false]);
    const cells = await mcp.tool('execute_query', { queryName: texts, rowSize: 3, fullCells: false });
    expect([rowsOf(cells)[0]?.t, 'note' in cells]).toEqual([long, false]);
    const chunk = await mcp.tool('start_stream', { queryName: wide, chunkSize: 700 });
    expect([rowsOf(chunk).length, 'note' in chunk]).toEqual([700, false]);
  });

  test('can be combined with shape and columns', async () => {
    expect(
      await mcp.tool('execute_query', { queryName: wide, rowSize: 1, shape: 'TABLE', columns: ['amount', 'region'] }),
    ).toMatchObject({
      Columns: ['Region', 'Amount'],
      Data: [['Region 0', 0]],
      NextRowIndex: 1,
    });
  });
});

describe('long cells', () => {
  test('are cut at 2,000 code points and counted, but not those with JSON', async () => {
    const page = await mcp.tool('execute_query', { queryName: texts });
    const [one, two, three] = rowsOf(page);
    expect([one?.t, two?.t, three?.t]).toEqual([`${'x'.repeat(2000)}…`, '😀'.repeat(2000), `${'😀'.repeat(2000)}…`]);
    expect(one?.doc).toEqual({ a: 'j'.repeat(3000) });
    expect(page.note).toBe('2 cells were cut at 2,000 characters (…); send fullCells: true to read all.');
    const full = await mcp.tool('execute_query', { queryName: texts, fullCells: true });
    expect([rowsOf(full)[0]?.t, 'note' in full]).toEqual([long, false]);
    expect(await mcp.tool('execute_query', { queryName: texts, columns: ['N', 'Doc'] })).not.toHaveProperty('note');
  });
});

describe('columns', () => {
  test('that are unknown are refused with the known ones, and the query ends', async () => {
    for (const tool of ['execute_query', 'start_stream', 'execute_chart_query'])
      expect(await mcp.refusal(tool, { queryName: wide, columns: ['No', 'Remark'] })).toMatchObject({
        code: -32602,
        message: expect.stringMatching(/no column "Remark".*"No", "Region", "Comment", "Amount"/),
      });
    const { json } = await service.as(admin).call<{ items: unknown[] }>('GET', '/api/v1/executions');
    expect(json.items).toEqual([]);
  });

  test('may be a JSON text, a single name, or repeated; an empty list counts as absent', async () => {
    for (const columns of ['["no"]', 'no', ['no', 'NO', 'No']])
      expect(rowsOf(await mcp.tool('execute_query', { queryName: wide, rowSize: 1, columns }))).toEqual([{ No: 0 }]);
    for (const columns of [[], '', null])
      expect(
        Object.keys(rowsOf(await mcp.tool('execute_query', { queryName: wide, rowSize: 1, columns }))[0] ?? {}),
      ).toHaveLength(4);
    expect((await mcp.refusal('execute_query', { queryName: wide, columns: [1] })).code).toBe(-32602);
    expect((await mcp.refusal('execute_query', { queryName: wide, shape: 'csv' })).code).toBe(-32602);
  });
});

describe('a continuation', () => {
  const first = () => mcp.tool('execute_query', { queryName: wide, shape: 'table', columns: ['No', 'Comment'] });

  test('is like its first call, also after a restart', async () => {
    const { QueryMoreCode: code } = await first();
    const next = await mcp.tool('execute_query_next_page', { queryMoreCode: code });
    await service.restart();
    mcp = mcpOf(service, key); // on another port
    expect(await mcp.tool('execute_query', { queryMoreCode: code })).toEqual(next);
    expect(next).toMatchObject({ Columns: ['No', 'Comment'], note: expect.stringContaining('more rows') });
    expect(bytesOf(next)).toBeLessThanOrEqual(BYTES);
  });

  test('changes what is sent again, from then on', async () => {
    const { QueryMoreCode, NextRowIndex } = await first();
    for (const tool of ['execute_query_next_page', 'execute_query']) {
      const other = await mcp.tool(tool, { queryMoreCode: QueryMoreCode, shape: 'rows', columns: ['No', 'Amount'], rowSize: 2 });
      expect(other.Data).toEqual(
        [0, 1].map((more) => ({ No: Number(NextRowIndex) + more, Amount: (Number(NextRowIndex) + more) * 1.5 })),
      );
      expect('note' in other).toBe(false);
      const third = await mcp.tool('execute_query_next_page', { queryMoreCode: other.QueryMoreCode });
      expect(rowsOf(third).map(Object.keys)).toEqual([
        ['No', 'Amount'],
        ['No', 'Amount'],
      ]);
    }
    expect((await mcp.refusal('execute_query_next_page', { queryMoreCode: QueryMoreCode, columns: ['x'] })).code).toBe(-32602);
  });

  test('over REST has plain rows, and its next code keeps the shape', async () => {
    const { QueryMoreCode, NextRowIndex } = await first();
    const rest = await service.as({ key }).run(wide, [], { QueryMoreCode: String(QueryMoreCode), RowSize: '2' });
    expect(rest.json.Data.map(Object.keys)).toEqual([0, 1].map(() => ['No', 'Region', 'Comment', 'Amount']));
    const third = await mcp.tool('execute_query_next_page', { queryMoreCode: rest.json.QueryMoreCode });
    expect(third).toMatchObject({ Columns: ['No', 'Comment'], NextRowIndex: Number(NextRowIndex) + 4 });
  });

  test('of another query or with other parameters says that, not that its code was altered', async () => {
    const { QueryMoreCode: queryMoreCode } = await mcp.tool('execute_query', { queryName: wide });
    for (const tool of ['execute_query', 'execute_chart_query'])
      expect(await mcp.refusal(tool, { queryName: texts, queryMoreCode })).toMatchObject({
        code: -32602,
        message: expect.stringContaining('belongs to another query or other parameters. Send it without queryName'),
      });
    const parameters = [{ name: '@N', dataType: 'int', required: true }];
    const { queryName } = await publish(service.as(admin), {
      name: 'Given',
      sql: 'select range + @N as n from range(3)',
      parameters,
    });
    const first = await mcp.tool('execute_query', { queryName, parameters: { '@N': 1 }, rowSize: 1 });
    const sent = { queryName, queryMoreCode: first.QueryMoreCode };
    expect(await mcp.refusal('execute_query', { ...sent, parameters: { '@N': 2 } })).toMatchObject({
      message: expect.stringContaining('or call execute_query without a code'),
    });
    expect(rowsOf(await mcp.tool('execute_query', { ...sent, parameters: { '@N': 1 } }))).toEqual([{ n: 2 }]);
  });

  test('of another user is refused', async () => {
    const { QueryMoreCode } = await first();
    const ana = await createQueryUser(service, 'ana');
    const other = mcpOf(service, (await createKey(ana.caller)).key);
    expect((await other.refusal('execute_query_next_page', { queryMoreCode: QueryMoreCode, shape: 'rows' })).code).toBe(40301);
    expect((await mcp.refusal('resume_stream', { streamToken: QueryMoreCode })).code).toBe(-32602);
  });
});

test('streams are sized and shown in the same way', async () => {
  const chunks = [await mcp.tool('start_stream', { queryName: wide, shape: 'table', columns: ['no', 'comment'] })];
  expect(chunks[0]?.note).toMatch(/^\d+ of more rows\. Continue with streamToken, .* resume_stream takes the code/);
  for (let token = chunks[0]?.streamToken; token !== null; token = chunks.at(-1)?.streamToken)
    chunks.push(await mcp.tool('resume_stream', { streamToken: token }));
  expect(numbersOf(chunks)).toEqual(upTo(3000));
  expect(chunks.every((chunk) => bytesOf(chunk) <= BYTES)).toBe(true);
  const plain = await mcp.tool('resume_stream', { streamToken: chunks[0]?.streamToken, shape: 'rows', chunkSize: 1 });
  expect(plain).toMatchObject({ chunkIndex: 1, Data: [{ No: rowsOf(chunks[0] ?? {}).length }] });
});

test('a chart has the classes of the columns that are sent, and draws all rows', async () => {
  const sent = {
    queryName: wide,
    shape: 'table',
    columns: ['Amount', 'No'],
    chartType: 'bar',
    labelColumn: 'Region',
    dataColumn: 'Amount',
  };
  const response = await mcp.call('execute_chart_query', sent);
  const content = contentOf(response);
  expect(content.Columns).toEqual([
    { Name: 'No', Type: 'numeric' },
    { Name: 'Amount', Type: 'numeric' },
  ]);
  expect((content.Data as unknown[])[1]).toEqual([1, 1.5]);
  expect(response.json.result?._meta).toMatchObject({ 'sluice/chart': { data: { rowsRead: 3000 } } });
});

describe('a typed tool', () => {
  test('takes them, but a parameter of the same name wins', async () => {
    const root = service.as(admin);
    const parameters = ['@columns', '@Shape'].map((name) => ({ name, dataType: 'nvarchar(20)', required: true }));
    const { queryName } = await publish(root, { name: 'Named', sql: 'select @columns as c, @Shape as s, 1 as n', parameters });
    const typed = await createKey(root, { name: 'typed', queries: [queryName, wide], tools: 'typed' });
    const headers = { 'X-API-Key': typed.key };
    const call = async (tool: string, sent: object) => contentOf(await mcpOf(service).call(tool, sent, headers));
    expect(await call('qd_named_demo', { columns: 'x', shape: 'table', row_size: 1 })).toEqual({
      ...{ Data: [{ c: 'x', s: 'table', n: 1 }], RowSize: 1, NextRowIndex: 1, QueryMoreCode: null },
    });
    const page = await call('qd_wide_demo', { shape: 'table', columns: ['No'] });
    expect(page).toMatchObject({ Columns: ['No'], note: expect.stringContaining('1000 of more rows') });
    const next = await call('execute_query_next_page', { queryMoreCode: page.QueryMoreCode });
    expect((next.Data as unknown[])[0]).toEqual([1000]);
    expect(rowsOf(await call('qd_wide_demo', { rowSize: 3 }))).toHaveLength(3);
    const unlike = await publish(root, {
      ...{ name: 'Unlike', sql: 'select @fullCells as f' },
      parameters: [{ name: '@fullCells', dataType: 'nvarchar(20)', default: 'all' }],
    });
    const other = await createKey(root, { name: 'unlike', queries: [unlike.queryName], tools: 'typed' });
    const sent = await mcpOf(service).call('qd_unlike_demo', { full_cells: true }, { 'X-API-Key': other.key });
    expect(sent.json.error).toMatchObject({
      message: expect.stringContaining('no parameter "full_cells". Did you mean "@fullCells"'),
    });
    const alike = await publish(root, {
      ...{ name: 'Alike', sql: 'select @Row_Size as r from range(3)' },
      parameters: [{ name: '@Row_Size', dataType: 'nvarchar(20)', default: 'all' }],
    });
    const third = { 'X-API-Key': (await createKey(root, { name: 'alike', queries: [alike.queryName], tools: 'typed' })).key };
    const both = contentOf(await mcpOf(service).call('qd_alike_demo', { row_size: 'few', rowSize: 2 }, third));
    expect(both).toMatchObject({ Data: [{ r: 'few' }, { r: 'few' }], RowSize: 2 });
    const { json } = await mcpOf(service).rpc('tools/list', {}, headers);
    const tools = json.result?.tools as { name: string; inputSchema: { properties: Record<string, object> } }[];
    const properties = tools.find(({ name }) => name === 'qd_named_demo')?.inputSchema.properties ?? {};
    expect(Object.keys(properties)).toEqual(['columns', 'Shape', 'rowSize', 'fullCells']);
    expect(properties.columns).toMatchObject({ type: 'string' });
    expect((await mcpOf(service).call('qd_wide_demo', { shape: 'csv', nope: 1 }, headers)).json.error?.code).toBe(-32602);
  });
});
