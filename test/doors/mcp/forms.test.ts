import { afterAll, beforeAll, expect, test } from 'vitest';
import { statelessOf, type StatelessCaller } from '../../support/http/mcp.ts';
import { createKey, createUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

// Missing required parameters are asked for with a form, if the client shows forms.

let service: TestService;
let mcp: StatelessCaller;
let silent: StatelessCaller; // shows no forms
let other: StatelessCaller; // another user
let typed: StatelessCaller;
const queryName = 'QD_Orders_of_a_state_Demo';
const parameters = [
  { name: '@State', dataType: 'nvarchar(20)', required: true, values: ['open', 'paid'] },
  { name: '@Year', dataType: 'int', required: true, description: 'The year.' },
  { name: '@Least', dataType: 'int', required: true, default: '0' },
];
beforeAll(async () => {
  service = await startTestService();
  const root = service.as(admin);
  const sql = 'select @State as state, @Year::int as year, @Least::int as least';
  await publish(root, { name: 'Orders of a state', sql, parameters });
  await publish(root, { name: 'Also', sql, parameters });
  const forms = { elicitation: {} };
  const { key } = await createKey(root, { name: 'forms' });
  mcp = statelessOf(service, { 'X-API-Key': key }, forms);
  silent = statelessOf(service, { 'X-API-Key': key }, { elicitation: { url: {} } });
  const person = await createUser(service, 'person', { roles: ['Query User'], databases: ['*'] });
  other = statelessOf(service, { 'X-API-Key': (await createKey(person.caller)).key }, forms);
  const narrow = await createKey(root, { name: 'typed', queries: [queryName], tools: 'typed' });
  typed = statelessOf(service, { 'X-API-Key': narrow.key }, forms);
});
afterAll(() => service.close());

const call = async (caller: StatelessCaller, name: string, args: object, more: object = {}) =>
  (await caller.rpc('tools/call', { name, arguments: args, ...more })).json;
const asked = async (args: object = { queryName }, tool = 'execute_query', caller = mcp): Promise<string> =>
  String((await call(caller, tool, args)).result?.requestState);
const accepted = (content: object) => ({ inputResponses: { parameters: { action: 'accept', content } } });
const values = { State: 'paid', Year: 2026 };

test('the form has a field for each missing parameter, and the repeated call runs', async () => {
  const { result } = await call(mcp, 'execute_query', { queryName, parameters: { '@State': 'open' } });
  expect(result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      parameters: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: `The query ${queryName} needs a value for @Year.`,
          requestedSchema: {
            type: 'object',
            properties: { Year: { type: 'integer', title: 'Year', description: 'The year. SQL type int.' } },
            required: ['Year'],
          },
        },
      },
    },
    requestState: expect.any(String),
    _meta: expect.anything(),
  });
  const repeated = { requestState: result?.requestState, ...accepted({ Year: 2026, Extra: undefined }) };
  for (const sent of [{ '@State': 'open' }, [{ ParameterName: '@State', Value: 'open' }], '{"State":"open"}']) {
    const answer = await call(mcp, 'execute_query', { queryName, parameters: sent }, repeated);
    expect(answer.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { Data: [{ state: 'open', year: 2026, least: 0 }] },
    });
  }
});

test.each(['execute_query', 'start_stream', 'execute_chart_query'])('%s asks for all of them', async (tool) => {
  const { result } = await call(mcp, tool, { queryName });
  expect(result).toMatchObject({
    inputRequests: {
      parameters: {
        params: { requestedSchema: { properties: { State: { enum: ['open', 'paid'] } }, required: ['State', 'Year'] } },
      },
    },
  });
  const answer = await call(mcp, tool, { queryName }, { requestState: result?.requestState, ...accepted(values) });
  expect(answer.result).toMatchObject({ resultType: 'complete', isError: false });
});

test('a typed tool returns a form as well', async () => {
  const tool = 'qd_orders_of_a_state_demo';
  const requestState = await asked({ Year: 2026 }, tool, typed);
  const { result } = await call(typed, tool, { Year: 2026 }, { requestState, ...accepted({ State: 'paid' }) });
  expect(result).toMatchObject({ structuredContent: { Data: [{ state: 'paid', year: 2026 }] } });
});

test('a list is a choice of several values, or a text with commas', async () => {
  const sql = 'select range as n from range(9) where range in (@Among) and range not in (@Except)';
  const lists = [
    { name: '@Among', dataType: 'int', required: true, multiple: true },
    { name: '@Except', dataType: 'int', required: true, multiple: true, values: ['1', '2'] },
  ];
  const query = await publish(service.as(admin), { name: 'Lists', sql, parameters: lists });
  const { result } = await call(mcp, 'execute_query', { queryName: query.queryName });
  expect(result).toMatchObject({
    inputRequests: {
      parameters: {
        params: {
          requestedSchema: { properties: { Among: { type: 'string' }, Except: { type: 'array', items: { enum: ['1', '2'] } } } },
        },
      },
    },
  });
  const answer = { requestState: result?.requestState, ...accepted({ Among: '1, 3,5', Except: ['1'] }) };
  expect((await call(mcp, 'execute_query', { queryName: query.queryName }, answer)).result).toMatchObject({
    structuredContent: { Data: [{ n: 3 }, { n: 5 }] },
  });
});

test('choices from another query are offered with their labels', async () => {
  const root = service.as(admin);
  const states = "select * from (values ('o', 'Open'), ('p', 'Paid')) t(code, label)";
  const source = await publish(root, { name: 'States', sql: states });
  const choices = { query: source.queryName, value: 'code', label: 'label' };
  const query = await publish(root, {
    name: 'By state',
    sql: 'select @State as state',
    parameters: [{ name: '@State', dataType: 'nvarchar(1)', required: true, choices, choicesOnly: true }],
  });
  const { result } = await call(mcp, 'execute_query', { queryName: query.queryName });
  const oneOf = [
    { const: 'o', title: 'Open' },
    { const: 'p', title: 'Paid' },
  ];
  expect(result).toMatchObject({
    inputRequests: { parameters: { params: { requestedSchema: { properties: { State: { oneOf } } } } } },
  });
  const answer = { requestState: result?.requestState, ...accepted({ State: 'p' }) };
  expect((await call(mcp, 'execute_query', { queryName: query.queryName }, answer)).result).toMatchObject({
    structuredContent: { Data: [{ state: 'p' }] },
  });
});

test('a form without all values is sent again, and wrong values are an error result', async () => {
  const requestState = await asked();
  expect((await call(mcp, 'execute_query', { queryName }, { requestState })).result?.resultType).toBe('input_required');
  const partial = await call(mcp, 'execute_query', { queryName }, { requestState, ...accepted({ State: 'paid' }) });
  expect(partial.result?.resultType).toBe('input_required');
  const wrong = await call(mcp, 'execute_query', { queryName }, { requestState, ...accepted({ ...values, Year: 'soon' }) });
  expect(wrong.result).toMatchObject({ resultType: 'complete', isError: true });
});

test.each(['decline', 'cancel'])('a user who chooses %s ends the call with an error result', async (action) => {
  const requestState = await asked();
  const { result } = await call(
    mcp,
    'execute_query',
    { queryName },
    { requestState, inputResponses: { parameters: { action } } },
  );
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('did not enter') }] });
});

test('an altered state, and one of another user, tool or query, is refused', async () => {
  const requestState = await asked();
  const answer = accepted(values);
  const refused = async (caller: StatelessCaller, tool: string, name: string, state: unknown) =>
    (await call(caller, tool, { queryName: name }, { requestState: state, ...answer })).error;
  const invalid = { code: -32602, data: { reason: 'request_state_invalid' } };
  expect(await refused(mcp, 'execute_query', queryName, `${requestState.slice(0, -2)}AA`)).toMatchObject(invalid);
  expect(await refused(mcp, 'execute_query', queryName, undefined)).toMatchObject(invalid);
  expect(await refused(mcp, 'start_stream', queryName, requestState)).toMatchObject(invalid);
  expect(await refused(mcp, 'execute_query', 'QD_Also_Demo', requestState)).toMatchObject(invalid);
  expect(await refused(other, 'execute_query', queryName, requestState)).toMatchObject(invalid);
  expect(await refused(mcp, 'execute_query', queryName, requestState)).toBeUndefined();
});

test('clients without forms, and calls with other problems, get the error result', async () => {
  expect((await call(silent, 'execute_query', { queryName })).result).toMatchObject({ isError: true });
  const unknown = await call(mcp, 'execute_query', { queryName, parameters: { '@Stat': 'open' } });
  expect(unknown.result).toMatchObject({ isError: true });
});

test('shows no choices of a query that is closed to AI, and still refuses other values', async () => {
  const root = service.as(admin);
  const secret = { name: 'Secret states', sql: "select 'hidden-state' as state" };
  const parameter = {
    ...{ name: '@State', dataType: 'nvarchar(20)', required: true, choicesOnly: true },
    choices: { query: 'QD_Secret_states_Demo', value: 'state' },
  };
  const { id } = await publish(root, { ...secret, aiAccess: true });
  await publish(root, { name: 'By secret', sql: 'select @State as s', parameters: [parameter] });
  const byName = { queryName: 'QD_By_secret_Demo' };
  expect(JSON.stringify(await call(mcp, 'execute_query', byName))).toContain('hidden-state');
  await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { aiAccess: false }), 200);
  const { key } = await createKey(root, { name: 'secret', queries: ['QD_By_secret_Demo'], tools: 'typed' });
  const narrow = statelessOf(service, { 'X-API-Key': key }, { elicitation: {} });
  for (const shown of [
    await call(mcp, 'execute_query', byName),
    await call(narrow, 'qd_by_secret_demo', {}),
    (await narrow.rpc('tools/list', {})).json,
    await call(mcp, 'get_query_parameters', byName),
    await call(mcp, 'get_query_detail', { queryId: 'QD_By_secret_Demo' }),
    await call(mcp, 'execute_query', { ...byName, parameters: { '@State': 'hidden-stat' } }),
  ]) {
    expect(shown.error).toBeUndefined();
    expect(JSON.stringify(shown).replaceAll('\\"hidden-stat\\', '')).not.toContain('hidden-stat');
  }
  const chosen = await call(mcp, 'execute_query', { ...byName, parameters: { '@State': 'hidden-state' } });
  expect(chosen.result).toMatchObject({ resultType: 'complete', structuredContent: { Data: [{ s: 'hidden-state' }] } });
});
