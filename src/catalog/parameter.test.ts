import { expect, test } from 'vitest';
import { checkParameterDefinitions } from './parameter-definition.ts';
import { bindParameters, type SentParameter, withDeclaredNames } from './parameter.ts';
import type { ParameterDefinition } from './query.ts';
import { UTC } from './time-zone.ts';

const region: ParameterDefinition = { name: '@Region', dataType: 'nvarchar(10)', required: true };
const year: ParameterDefinition = { name: '@Year', dataType: 'int', required: false, default: '2026.0' };
const since: ParameterDefinition = { name: '@Since', dataType: 'datetime2', required: false };
const declared = [region, year, since];
const context = { clock: { now: Date.parse('2026-11-15T10:00:00Z'), zone: UTC }, caller: null };

const sent = (ParameterName: string, Value: string | null | undefined, DataType?: string): SentParameter => ({
  ParameterName,
  Value,
  DataType,
});

function problemsOf(parameters: readonly SentParameter[], definitions = declared) {
  const bound = bindParameters(definitions, parameters, context);
  if (bound.ok || !('problems' in bound.failure)) throw new Error('expected problems');
  expect(bound.failure.kind).toBe(bound.failure.problems[0]?.kind);
  return bound.failure.problems.map(({ field, message }) => ({ field, message }));
}

test('binds in declared order with the declared types, whatever order was sent', () => {
  const bound = bindParameters(
    declared,
    [sent('@Since', '2026-01-31', 'date'), sent('@Year', '25', 'BIGINT'), sent('@Region', 'West')],
    context,
  );
  expect(bound).toEqual({
    ok: true,
    value: [
      { name: '@Region', type: { name: 'text', length: 10 }, value: 'West' },
      { name: '@Year', type: { name: 'integer', bits: 32, unsigned: false }, value: '25' },
      { name: '@Since', type: { name: 'datetime' }, value: '2026-01-31T00:00:00' },
    ],
  });
});

test('binds an omitted optional parameter to its cast default, or NULL', () => {
  const bound = bindParameters(declared, [sent('@Region', '')], context);
  expect(bound.ok && bound.value.map((each) => ('items' in each ? each.items : each.value))).toEqual(['', '2026', null]);
});

test('binds null to NULL, not to the default', () => {
  const bound = bindParameters(declared, [sent('@Region', 'a'), sent('@Year', null), sent('@Since', null, 'date')], context);
  expect(bound.ok && bound.value.map((each) => ('items' in each ? each.items : each.value))).toEqual(['a', null, null]);
});

test('reports every problem of a call at once, by parameter', () => {
  const parameters = [sent('@Place', 'a'), sent('@Year', 'x'), sent('@Since', '2026-02-30'), sent('since', '2026-02-01')];
  expect(problemsOf(parameters)).toEqual([
    {
      field: '@Place',
      message: 'The query has no parameter "@Place". Known here: @Region, @Year, @Since.',
    },
    { field: '@Since', message: 'It is sent twice. Send it once.' },
    { field: '@Region', message: 'It is required. Send a value for it.' },
    { field: '@Year', message: '"x" is not a whole number.' },
    { field: '@Since', message: '"2026-02-30" is not a valid date and time. Write 2026-01-31T09:30:00.' },
  ]);
});

test('does not also report the parameter that a misspelled name resembles', () => {
  expect(problemsOf([sent('@Regoin', 'a')])).toEqual([
    { field: '@Regoin', message: 'The query has no parameter "@Regoin". Did you mean "@Region"?' },
  ]);
});

test.each(['@Region', '@region', '@REGION', 'Region', 'region'])('binds %s to @Region', (name) => {
  const bound = bindParameters(declared, [sent(name, 'a')], context);
  expect(bound.ok && bound.value[0]).toMatchObject({ name: '@Region', value: 'a' });
  expect(withDeclaredNames(declared, [sent(name, 'a')])).toMatchObject([{ ParameterName: '@Region', Value: 'a' }]);
});

test('prefers the exact name, and refuses one that is ambiguous', () => {
  const alike = ['@a', '@A'].map((name) => ({ name, dataType: 'int', required: false }));
  const bound = bindParameters(alike, [sent('A', '1'), sent('@a', '2')], context);
  expect(bound.ok && bound.value.map((each) => ('items' in each ? each.items : each.value))).toEqual(['2', '1']);
  const äs = ['@ä', '@Ä'].map((name) => ({ name, dataType: 'int', required: false }));
  expect(bindParameters(äs, [sent('ä', '1')], context).ok).toBe(true);
  const others = ['@aB', '@Ab'].map((name) => ({ name, dataType: 'int', required: false }));
  expect(problemsOf([sent('@AB', '1')], others)).toMatchObject([
    { field: '@AB', message: expect.stringContaining('@aB or @Ab') },
  ]);
});

test.each<[string, string, string | undefined, string | null]>([
  ['int', '7', undefined, '7'],
  ['int', '7', '', '7'],
  ['int', '7', ' ', '7'],
  ['int', '7', 'nvarchar(50)', '7'],
  ['int', '7', 'nvarchar(0x)', null],
  ['int', '7.5', 'text', null],
  ['bit', '1', 'int', 'true'],
  ['bit', 'false', 'nvarchar', 'false'],
  ['bit', '2', 'int', null],
  ['bit', '1', 'decimal(3,1)', null],
  ['date', '2026-01-31', 'varchar', '2026-01-31'],
  ['uuid', '7e57d004-2b97-0e7a-b45f-5387367791cd', 'char(36)', '7e57d004-2b97-0e7a-b45f-5387367791cd'],
  ['int', '7', 'bit', null],
  ['nvarchar(5)', 'abc', 'nvarchar(2)', null],
])('a value for %s: %j with the hint %j becomes %j', (dataType, value, hint, expected) => {
  const bound = bindParameters([{ name: '@P', dataType, required: true }], [sent('@P', value, hint)], context);
  expect(bound.ok ? bound.value[0] : { value: null }).toMatchObject({ value: expected });
});

test.each<[string, SentParameter, string]>([
  ['a value that is missing', sent('@Region', undefined), 'Value is missing. Send a string, or null for NULL.'],
  ['null for a required one', sent('@Region', null), 'It is required and may not be null.'],
  [
    'a type that is not known',
    sent('@Region', 'a', 'banana'),
    'The data type "banana" is not known. Use a SQL type such as nvarchar(50), int, decimal(12,2), datetime or bit.',
  ],
  ['a type of another family', sent('@Region', 'a', 'int'), 'DataType "int" does not match the declared type nvarchar(10).'],
  ['a text that is too long', sent('@Region', 'a'.repeat(11)), 'The text has 11 characters, 10 are allowed.'],
  ['a value beyond 32 KiB', sent('@Region', 'é'.repeat(16 * 1024 + 1)), 'The value is longer than 32 KiB.'],
])('refuses %s', (_what, parameter, message) => {
  expect(problemsOf([parameter])).toEqual([{ field: '@Region', message }]);
});

test('rejects null sent with a type of another family', () => {
  expect(problemsOf([sent('@Region', 'a'), sent('@Year', null, 'date')])).toHaveLength(1);
});

test('binds an omitted required parameter to its default, and refuses null for it', () => {
  const required = [{ ...year, required: true }];
  const bound = bindParameters(required, [], context);
  expect(bound.ok && bound.value.map((each) => ('items' in each ? each.items : each.value))).toEqual(['2026']);
  expect(problemsOf([sent('@Year', null)], required)).toEqual([
    { field: '@Year', message: 'It is required and may not be null.' },
  ]);
});

test('refuses more than a hundred parameters in one problem', () => {
  const parameters = Array.from({ length: 101 }, (_, index) => sent(`@p${index}`, 'a'));
  expect(problemsOf(parameters)).toEqual([{ field: 'Parameters', message: 'At most 100 parameters may be sent, not 101.' }]);
});

test('accepts valid declarations', () => {
  expect(checkParameterDefinitions([...declared, { ...region, name: '@R2', default: 'North' }])).toEqual([]);
});

test('reports problems in declarations by body path', () => {
  const problems = checkParameterDefinitions([
    { name: 'Region', dataType: 'int', required: true },
    { name: '@A', dataType: 'banana', required: true, default: 'x' },
    { name: '@A', dataType: 'int', required: false, default: 'x' },
    { name: '@B', dataType: 'int', required: false, default: '' },
  ]);
  expect(problems.map(({ field }) => field)).toEqual([
    'parameters.0.name',
    'parameters.2.name',
    'parameters.1.dataType',
    'parameters.2.default',
    'parameters.3.default',
  ]);
});

const bindAt = (definitions: readonly ParameterDefinition[], parameters: readonly SentParameter[], now: string) => {
  const bound = bindParameters(definitions, parameters, { clock: { now: Date.parse(now), zone: UTC }, caller: null });
  return bound.ok ? bound.value.map(({ name: _name, type: _type, ...rest }) => rest) : bound.failure;
};

test('evaluates relative moments in the declared type, and keeps the expression', () => {
  const from: ParameterDefinition = { name: '@From', dataType: 'datetime', required: false, default: 'month-start' };
  const at = '2026-11-15T10:20:30.120Z';
  expect(bindAt([from], [], at)).toEqual([{ value: '2026-11-01T00:00:00', expression: 'month-start' }]);
  expect(bindAt([from], [sent('from', ' Now - 90m ')], at)).toEqual([{ value: '2026-11-15T08:50:30.12', expression: 'now-90m' }]);
  expect(bindAt([from], [sent('from', 'now-90m', 'date')], at)).toEqual([
    { value: '2026-11-15T08:50:30.12', expression: 'now-90m' },
  ]);
  expect(bindAt([{ ...from, dataType: 'nvarchar' }], [sent('from', 'today')], at)).toEqual([{ value: 'today' }]);
  expect(problemsOf([sent('@Region', 'a'), sent('@Since', 'today-1x')])).toMatchObject([{ field: '@Since' }]);
});

test('reads a closed list once for all values of a list', () => {
  const days = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10));
  let reads = 0;
  const values = new Proxy(days, {
    get(target, key) {
      reads++;
      return Reflect.get(target, key);
    },
  });
  const on: ParameterDefinition = { name: '@On', dataType: 'datetime', required: true, multiple: true, values };
  expect(bindParameters([on], [sent('@On', JSON.stringify(days))], context).ok).toBe(true);
  expect(reads).toBeLessThan(10 * days.length);
});

test('checks the relative moment of a default', () => {
  const from: ParameterDefinition = { name: '@From', dataType: 'date', required: false };
  expect(checkParameterDefinitions([{ ...from, default: 'quarter-end+1d' }])).toEqual([]);
  expect(checkParameterDefinitions([{ ...from, default: 'today-7' }])).toMatchObject([{ field: 'parameters.0.default' }]);
});

const regions: ParameterDefinition = { name: '@Regions', dataType: 'nvarchar(5)', required: false, multiple: true };
const list = (definition: ParameterDefinition, Value: SentParameter['Value']) =>
  bindParameters([definition], [{ ParameterName: definition.name, Value }], context);

test.each<[SentParameter['Value'], readonly (string | null)[]]>([
  [
    ['North', 'South', 'North'],
    ['North', 'South'],
  ],
  ['North', ['North']],
  ['["a", 1, true]', ['a', '1', 'true']],
  ['[a', ['[a']],
  ['', ['']],
  [[], []],
  [null, []],
])('binds %j as a list', (Value, expected) => {
  expect(list(regions, Value)).toMatchObject({ ok: true, value: [{ items: expected.map((value) => ({ value })) }] });
});

test('binds an empty or omitted list to its default, which is one value or a JSON array', () => {
  for (const [fallback, expected] of [
    ['North', [{ value: 'North' }]],
    ['["a","b"]', [{ value: 'a' }, { value: 'b' }]],
    ['[]', []],
  ] as const) {
    const definition = { ...regions, default: fallback };
    expect(bindAt([definition], [], '2026-01-01'), fallback).toEqual([{ items: expected }]);
    expect(bindAt([definition], [{ ParameterName: '@Regions', Value: [] }], '2026-01-01'), fallback).toEqual([
      { items: expected },
    ]);
    expect(checkParameterDefinitions([definition])).toEqual([]);
  }
  expect(checkParameterDefinitions([{ ...regions, default: '["a","longer"]' }])).toMatchObject([
    { field: 'parameters.0.default' },
  ]);
});

test.each<[string, Partial<ParameterDefinition>, SentParameter['Value']]>([
  ['an empty list for a required one', { required: true, default: 'a' }, []],
  ['null for a required one', { required: true }, null],
  ['null in a list', {}, ['a', null]],
  ['a value that does not fit', {}, ['a', 'longer']],
  ['more than 1,000 values', { dataType: 'int' }, Array.from({ length: 1001 }, (_, index) => String(index))],
  ['a list for a single value', { multiple: false }, ['a']],
])('refuses %s', (_, changes, Value) => {
  expect(list({ ...regions, ...changes }, Value)).toMatchObject({ ok: false, failure: { kind: 'ParameterInvalid' } });
});

const bound: ParameterDefinition = { name: '@Region', dataType: 'int', required: false, boundTo: 'user.attributes.region' };
const bindFor = (definition: ParameterDefinition, attributes: Record<string, string | string[]>) => {
  const caller = { id: '1', name: 'ann', email: '', fullName: '', roles: ['a', 'b'], attributes };
  return bindParameters([definition], [], { ...context, caller });
};

test('binds values from the caller, cast to the declared type', () => {
  expect(bindFor(bound, { region: '007' })).toMatchObject({ ok: true, value: [{ value: '7', fromCaller: true }] });
  expect(bindFor(bound, { region: ['', '7'] })).toMatchObject({ ok: true, value: [{ value: '7' }] });
  const roles: ParameterDefinition = { ...bound, dataType: 'text', boundTo: 'user.roles', multiple: true };
  expect(bindFor(roles, {})).toMatchObject({ ok: true, value: [{ items: [{ value: 'a' }, { value: 'b' }] }] });
});

test.each<[string, string, Record<string, string | string[]>]>([
  ['no attribute', 'CallerAttributeMissing', {}],
  ['an empty text', 'CallerAttributeMissing', { region: '' }],
  ['an empty list', 'CallerAttributeMissing', { region: [] }],
  ['a value that does not fit', 'CallerAttributeMissing', { region: 'x' }],
  ['several values', 'CallerAttributeAmbiguous', { region: ['1', '2'] }],
])('refuses a caller with %s', (_, kind, attributes) => {
  expect(bindFor(bound, attributes)).toMatchObject({ ok: false, failure: { kind, source: 'user.attributes.region' } });
});

test('does not read properties of objects as attributes', () => {
  expect(bindFor({ ...bound, dataType: 'text', boundTo: 'user.attributes.constructor' }, {}).ok).toBe(false);
});

test.each(['@Region', 'region', 'REGION', '@region'])('refuses %s where it is bound to the caller', (name) => {
  const result = bindParameters([bound], [sent(name, '1')], { ...context, caller: null });
  expect(result).toMatchObject({ ok: false, failure: { kind: 'ParameterBound', problems: [{ field: name }] } });
});

test('binds a saved default that is not in a closed list, which callers cannot send', () => {
  const state: ParameterDefinition = { name: '@State', dataType: 'text', required: true, values: ['open'], default: 'all' };
  const bound = bindParameters([state], [], context);
  expect(bound.ok && bound.value).toMatchObject([{ value: 'all' }]);
  expect(problemsOf([sent('@State', 'all')], [state])).toMatchObject([{ field: '@State' }]);
  expect(checkParameterDefinitions([state])).toMatchObject([{ field: 'parameters.0.default' }]);
});
