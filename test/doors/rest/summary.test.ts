import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

const PATH = '/api/v1/ChartBuilder/Summary';
const QueryName = 'QD_Sales_Demo';

interface Summary {
  readonly Columns: readonly { Name: string; Type: string }[];
  readonly Data: readonly Record<string, unknown>[];
  readonly rowsRead: number;
  readonly groups: number;
  readonly isWhole: boolean;
  readonly QueryMoreCode: string;
}

let service: TestService;
let caller: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_CHART_ROWS: '20000' });
  caller = service.as(admin);
  const sql = `select case when i % 3 = 0 then 'North' else 'South' end as "Region", (i % 7)::decimal(9, 2) / 100 as "Amount",
    if(i % 10 = 0, null, i)::int as "Units", ('2024-01-01'::date + (i % 730)::int) as "Day", i as "Number"
    from range(@Rows) t(i) order by i`;
  const parameters = [{ name: '@Rows', dataType: 'int', required: false, default: '12000' }];
  await publish(caller, { name: 'Sales', sql, parameters });
});
afterAll(() => service.close());

const send = (more: Record<string, unknown>, as = caller) =>
  as.call<Summary>('POST', PATH, { QueryName, Parameters: {}, labelColumn: 'Region', dataColumn: 'Amount', ...more });
const summarize = async (more: Record<string, unknown> = {}): Promise<Summary> => {
  const response = await send(more);
  expect(response.status, response.text).toBe(200);
  return response.json;
};

test('adds up all rows, not those of a page', async () => {
  const { QueryMoreCode, ...summary } = await summarize();
  expect(summary).toEqual({
    Columns: [
      { Name: 'Region', Type: 'categorical' },
      { Name: 'Amount', Type: 'numeric' },
    ],
    Data: [
      { Region: 'North', Amount: sumOf((i) => i % 3 === 0) },
      { Region: 'South', Amount: sumOf((i) => i % 3 !== 0) },
    ],
    rowsRead: 12_000,
    groups: 2,
    isWhole: true,
  });
  expect(QueryMoreCode).toEqual(expect.any(String));
});

const sumOf = (takes: (i: number) => boolean): number =>
  Array.from({ length: 12_000 }, (_, i) => (takes(i) ? i % 7 : 0)).reduce((sum, value) => sum + value, 0) / 100;

test('counts values that are not null, sorts by value and keeps the first groups', async () => {
  const { Data, groups } = await summarize({ dataColumn: ['Units', 'Amount'], aggregate: 'count', sortBy: 'value', limit: 1 });
  expect(Data).toEqual([{ Region: 'South', Units: 7_200, Amount: 8_000 }]);
  expect(groups).toBe(2);
  const { Columns } = await summarize({ labelColumn: 'Day', dataColumn: 'Region', aggregate: 'count' });
  expect(Columns).toEqual([
    { Name: 'Region', Type: 'numeric' },
    { Name: 'Day', Type: 'categorical' },
  ]);
});

test('groups times by the unit that is readable, or by the one that is sent', async () => {
  const auto = await summarize({ labelColumn: 'Day' });
  expect(auto.Data.map(({ Day }) => Day).slice(0, 2)).toEqual(['2024-01-01', '2024-02-01']);
  expect(auto.Data).toHaveLength(24);
  const years = await summarize({ labelColumn: 'Day', timeUnit: 'Year', aggregate: 'max', dataColumn: 'Number' });
  expect(years.Data).toEqual([
    { Day: '2024-01-01', Number: 11_999 },
    { Day: '2025-01-01', Number: 11_679 },
  ]);
  expect((await summarize({ labelColumn: 'Day', timeUnit: 'none' })).Data).toHaveLength(730);
});

test('splits groups into series', async () => {
  const { Data } = await summarize({ labelColumn: 'Day', timeUnit: 'year', seriesColumn: 'Region', aggregate: 'count' });
  expect(Data.map(({ Day, Region }) => [Day, Region])).toEqual([
    ['2024-01-01', 'North'],
    ['2024-01-01', 'South'],
    ['2025-01-01', 'North'],
    ['2025-01-01', 'South'],
  ]);
  expect(Data.reduce((sum, { Amount }) => sum + Number(Amount), 0)).toBe(12_000);
});

describe('with the code of a summary or of a page', () => {
  test('works on the same rows and runs nothing', async () => {
    const first = await send({});
    const { QueryMoreCode } = first.json;
    const second = await send({ QueryMoreCode, aggregate: 'count' });
    expect(second.json.Data).toEqual([
      { Region: 'North', Amount: 4_000 },
      { Region: 'South', Amount: 8_000 },
    ]);
    expect((await auditOf(caller, first)).action).toBe('query.execute');
    expect(await auditOf(caller, second)).toMatchObject({
      action: 'query.next-page',
      channel: 'chart',
      outcome: 'ok',
      rows: 2,
    });
    const page = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', {
      QueryName,
      Parameters: {},
      QueryMoreCode,
      RowSize: 2,
    });
    expect((page.json.Data as { Number: number }[]).map((row) => Number(row.Number))).toEqual([0, 1]);
    const paged = await caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName, Parameters: {} });
    expect(await summarize({ QueryMoreCode: paged.json.QueryMoreCode })).toMatchObject({
      rowsRead: 12_000,
      Data: first.json.Data,
    });
  });

  test('has a code also for a result of one row or none', async () => {
    for (const [rows, groups] of [
      ['1', 1],
      ['0', 0],
    ] as const) {
      const { QueryMoreCode, Data } = await summarize({ Parameters: { '@Rows': rows } });
      expect(Data).toHaveLength(groups);
      expect((await summarize({ Parameters: { '@Rows': rows }, QueryMoreCode })).Data).toEqual(Data);
    }
  });

  test('is refused to another user', async () => {
    const { QueryMoreCode } = await summarize();
    const other = await createQueryUser(service, 'other');
    await expectProblem(send({ QueryMoreCode }, service.as(other)), 403, 'continuation_foreign');
  });
});

describe('refuses', () => {
  test('to group a part: too many groups or rows', async () => {
    const groups = await expectProblem(send({ labelColumn: 'Number' }), 409, 'chart_too_large');
    expect(groups.detail).toContain('more than 10,000');
    const rows = await expectProblem(send({ Parameters: { '@Rows': '20001' } }), 409, 'chart_too_large');
    expect(rows.detail).toContain('SLUICE_CHART_ROWS');
    expect(await summarize({ Parameters: { '@Rows': '20000' } })).toMatchObject({ rowsRead: 20_000 });
  });

  test('an incomplete result, unless a chart draws rows as they are and says that there are more', async () => {
    const sql = 'select i as "Region", i as "Amount" from range(@Rows) t(i)';
    const parameters = [{ name: '@Rows', dataType: 'int', required: true }];
    const { queryName } = await publish(caller, { name: 'Bounded', sql, parameters, maxRows: 2000 });
    const of = (rows: number, more = {}) => ({ QueryName: queryName, Parameters: { Rows: rows }, ...more });
    expect(await summarize(of(2000, { chartType: 'scatter' }))).toMatchObject({ rowsRead: 2000, isWhole: true });
    await expectProblem(send(of(2001)), 500, 'result_incomplete');
    const { detail } = await expectProblem(send(of(2001, { chartType: 'bar' })), 409, 'chart_too_large');
    expect(detail).toContain('maxRows');
    for (const chartType of ['scatter', 'line']) {
      const cut = await summarize(of(2001, { chartType, aggregate: 'none' }));
      expect(cut).toMatchObject({ rowsRead: 2000, isWhole: false, drawing: { notes: [expect.stringContaining('has more')] } });
    }
    const long = await summarize({ Parameters: { '@Rows': '20001' }, labelColumn: 'Number', chartType: 'scatter' });
    expect(long).toMatchObject({ rowsRead: 20_000, isWhole: false });
  });

  test('unknown columns and a unit for a label without time, with the way out', async () => {
    const wrong = await expectProblem(send({ labelColumn: 'None', dataColumn: 'Nothing' }), 400, 'field_invalid');
    expect(wrong.errors?.map(({ field }) => field)).toEqual(['labelColumn', 'dataColumn']);
    await expectProblem(send({ timeUnit: 'month' }), 400, 'field_invalid');
    for (const dataColumn of [[], [''], '']) await expectProblem(send({ dataColumn }), 400, 'field_missing');
    const form = await expectProblem(
      send({ aggregate: 'mean', timeUnit: 'hours', labelColumn: 'None', Parameters: { '@Row': 1 } }),
      400,
      'parameter_unknown',
    );
    expect(form.errors?.map(({ field }) => field).toSorted()).toEqual(['@Row', 'aggregate', 'labelColumn', 'timeUnit']);
    const none = await expectProblem(send({ aggregate: 'none', dataColumn: 'Nothing' }), 400, 'field_invalid');
    expect(none.errors?.map(({ field }) => field).toSorted()).toEqual(['aggregate', 'dataColumn']);
  });

  test('a wrong column before the query runs', async () => {
    const name = 'Never fine';
    const { queryName } = await publish(caller, {
      name,
      sql: `select 1 as "Region", error('it ran') as "Amount" where @Run = 1`,
      parameters: [{ name: '@Run', dataType: 'int', required: false, default: '0' }],
    });
    const body = { QueryName: queryName, Parameters: { '@Run': 1 }, labelColumn: 'Area' };
    await expectProblem(send(body), 400, 'field_invalid');
  });

  test('a caller without the query, and counts groups against the rows of a key', async () => {
    await expectProblem(send({}, service.as()), 401, 'credential_missing');
    const key = await createKey(caller, { name: 'few', limits: { rowsPerDay: 3 } });
    const limited = service.as({ key: key.key });
    expect((await send({}, limited)).status).toBe(200);
    await expectProblem(send({}, limited), 429, 'rows_exceeded');
  });
});
