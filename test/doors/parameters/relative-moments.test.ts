import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { mcpOf, rowsOf } from '../../support/http/mcp.ts';
import { expectFieldProblem } from '../../support/http/problem.ts';
import { createKey } from '../../support/people/accounts.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

// in Berlin it is 00:30 on March 29, the day on which 02:00 becomes 03:00
const night = Date.parse('2026-03-28T23:30:00Z');

let now = night;
let service: TestService;
let caller: Caller;
let key: string;
let queryName: string;

beforeAll(async () => {
  service = await startTestService({ SLUICE_TIME_ZONE: 'Europe/Berlin' }, () => now);
  caller = service.as(admin);
  ({ key } = await createKey(caller, { name: 'moments' }));
  ({ queryName } = await publish(caller, {
    name: 'Moments',
    sql: "select cast(@Day as text) as label, cast(@Clock as text) as clock, strftime(timezone('UTC', @Instant), '%Y-%m-%d %H:%M') as instant, i as value from range(3) r(i)",
    parameters: [
      { name: '@Day', dataType: 'date', default: 'today' },
      { name: '@Clock', dataType: 'datetime', default: 'today+1d' },
      { name: '@Instant', dataType: 'datetimeoffset', default: 'today+24h' },
    ],
  }));
});
afterAll(() => service.close());

const atNight = { label: '2026-03-29', clock: '2026-03-30 00:00:00', instant: '2026-03-29 23:00' };

test('names the expression that words mean', async () => {
  for (const Value of ['last month', 'Last  Month'])
    expect(
      await expectFieldProblem(caller.run(queryName, [{ ParameterName: '@Day', Value }]), 'parameter_invalid', '@Day'),
    ).toContain(
      'Or write month-start-1mo for its first day, month-start-1d for its last. Accepted are now, today, yesterday, tomorrow,',
    );
  const { message } = await mcpOf(service, key).refusal('execute_query', { queryName, parameters: { '@Clock': '7 days ago' } });
  expect(message).toContain('write today-7d.');
});

test('evaluates defaults and values in the time zone of the service', async () => {
  const page = await expectStatus(caller.run(queryName), 200);
  expect(page.json.Data[0]).toMatchObject(atNight);
  const sent = [{ ParameterName: 'day', Value: 'Month-Start - 1mo', DataType: 'date' }];
  expect((await expectStatus(caller.run(queryName, sent), 200)).json.Data[0]?.label).toBe('2026-02-01');
  const short = await caller.call('POST', `/api/query/execute/${queryName}`, { parameters: { Clock: 'now-90m' } });
  expect(short.json).toMatchObject({ data: [{ clock: '2026-03-28 23:00:00' }, {}, {}] });
  const content = await mcpOf(service, key).tool('execute_query', { queryName, parameters: { '@Day': 'year-end' } });
  expect(rowsOf(content)[0]?.label).toBe('2026-12-31');
  await expectFieldProblem(caller.run(queryName, [{ ParameterName: '@Day', Value: 'today-7' }]), 'parameter_invalid', '@Day');
});

test('evaluates an expression in the declared type, whatever type is sent', async () => {
  for (const DataType of ['date', 'datetime', 'datetimeoffset', 'nvarchar']) {
    const sent = ['@Day', '@Clock', '@Instant'].map((ParameterName) => ({ ParameterName, Value: 'now', DataType }));
    const page = await expectStatus(caller.run(queryName, sent), 200);
    expect(page.json.Data[0]).toMatchObject({ label: '2026-03-29', clock: '2026-03-29 00:30:00', instant: '2026-03-28 23:30' });
  }
});

test('shows the expression and its value in the audit trail, and the expression to callers', async () => {
  const { parameters } = await auditOf(caller, await caller.run(queryName, [{ ParameterName: '@Day', Value: 'today-7d' }]));
  expect(parameters).toEqual({
    '@Day': { expression: 'today-7d', value: '2026-03-22' },
    '@Clock': { expression: 'today+1d', value: '2026-03-30T00:00:00' },
    '@Instant': { expression: 'today+24h', value: '2026-03-29T23:00:00Z' },
  });
  const declared = await caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${queryName}`);
  expect(declared.json).toMatchObject({ Parameters: [{ Default: 'today' }, { Default: 'today+1d' }, {}] });
});

test('keeps the expression of an embed and of a continuation when the day changes', async () => {
  const parameters = JSON.stringify([{ ParameterName: '@Day', Value: 'yesterday' }]);
  const { Token } = await embedOf(caller, { queryName, parameters });
  now = Date.parse('2026-03-28T22:55:00Z');
  const first = await expectStatus(caller.run(queryName, [], { RowSize: '2' }), 200);
  expect((await expectStatus(view(caller, Token), 200)).text).toContain('2026-03-27');
  now = Date.parse('2026-03-28T23:05:00Z');
  try {
    const QueryMoreCode = first.json.QueryMoreCode ?? '';
    const next = await expectStatus(caller.run(queryName, [], { QueryMoreCode }), 200);
    expect(next.json.Data).toMatchObject([
      { ...atNight, label: '2026-03-28', clock: '2026-03-29 00:00:00', instant: '2026-03-28 23:00' },
    ]);
    const text = (await expectStatus(view(caller, Token), 200)).text;
    expect(text).toContain('2026-03-28');
    expect(text).not.toContain('2026-03-27');
  } finally {
    now = night;
  }
});

test('previews with relative moments', async () => {
  const response = await expectStatus(
    caller.call('POST', '/api/v1/queries/preview', {
      database: 'Demo',
      sql: 'select cast(@Day as text) as day',
      parameters: [{ name: '@Day', dataType: 'date' }],
      values: { '@Day': 'week-start' },
    }),
    200,
  );
  expect(response.json).toMatchObject({ data: [{ day: '2026-03-23' }] });
});
