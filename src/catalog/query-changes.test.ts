import { describe, expect, it } from 'vitest';
import { type ComparedColumn, compareVersions, isBreaking, type QueryChange } from './query-changes.ts';
import type { ParameterDefinition } from './query.ts';

const compare = (
  [before, after]: readonly [readonly ParameterDefinition[], readonly ParameterDefinition[]],
  [from, to]: readonly [readonly ComparedColumn[] | null, readonly ComparedColumn[] | null] = [null, null],
) => compareVersions({ definition: { parameters: before }, columns: from }, { definition: { parameters: after }, columns: to });
const short = (changes: readonly QueryChange[]) => changes.map(({ kind, breaking }) => `${kind}${breaking ? '!' : ''}`);

const region: ParameterDefinition = { name: '@Region', dataType: 'nvarchar(50)', required: false };
const values = { values: ['North', 'South'] };
const choices = { choices: { query: 'QD_Cities_Demo', value: 'City' } };

describe('parameters', () => {
  const cases: readonly (readonly [string, Partial<ParameterDefinition>, Partial<ParameterDefinition>, string[]])[] = [
    ['nothing that callers notice', {}, { label: 'Area', description: 'Of sales', masked: true }, []],
    ['made required', {}, { required: true }, ['parameterRequired!']],
    ['made required with a default', {}, { required: true, default: 'North' }, ['parameterRequired!']],
    ['made optional', { required: true }, {}, ['parameterOptional']],
    ['without its default', { required: true, default: 'North' }, { required: true }, ['parameterRequired!']],
    ['optional without its default', { default: 'North' }, {}, ['parameterDefault']],
    ['with another default', { default: 'North' }, { default: 'South' }, ['parameterDefault']],
    ['with the same type spelled otherwise', {}, { dataType: 'VARCHAR(50)' }, []],
    ['narrowed', {}, { dataType: 'nvarchar(20)' }, ['parameterNarrowed!']],
    ['widened', {}, { dataType: 'nvarchar(max)' }, ['parameterWidened']],
    ['of another family', {}, { dataType: 'int' }, ['parameterNarrowed!']],
    ['a list made single', { multiple: true }, {}, ['parameterSingle!']],
    ['a single made a list', {}, { multiple: true }, ['parameterList']],
    ['bound', {}, { boundTo: 'user.name' }, ['parameterBound!']],
    ['bound to another attribute', { boundTo: 'user.id' }, { boundTo: 'user.name' }, ['parameterBound!']],
    ['unbound', { boundTo: 'user.name' }, {}, ['parameterUnbound!']],
    ['bound as before, of another type', { boundTo: 'user.name' }, { boundTo: 'user.name', dataType: 'int', required: true }, []],
    ['a value removed', values, { values: ['North'] }, ['valuesRemoved!']],
    ['a value added', values, { values: ['North', 'South', 'West'] }, ['valuesAdded']],
    ['a value replaced', values, { values: ['North', 'West'] }, ['valuesRemoved!', 'valuesAdded']],
    ['values in another case and order', values, { values: ['SOUTH', 'north'] }, []],
    ['values added', {}, values, ['valuesClosed!']],
    ['suggestions added', {}, { ...values, valuesOpen: true }, []],
    ['values closed', { ...values, valuesOpen: true }, values, ['valuesClosed!']],
    ['values opened', values, { ...values, valuesOpen: true }, ['valuesOpened']],
    ['values no longer listed', values, {}, ['valuesOpened']],
    ['choices removed', choices, {}, ['choicesRemoved!']],
    ['choices added', {}, choices, ['choicesAdded']],
    ['only choices allowed', {}, { ...choices, choicesOnly: true }, ['choicesClosed!']],
    ['choices closed', choices, { ...choices, choicesOnly: true }, ['choicesClosed!']],
    ['choices opened', { ...choices, choicesOnly: true }, choices, ['choicesOpened']],
    ['other choices', choices, { choices: { query: 'QD_Towns_Demo', value: 'Town' } }, ['choicesChanged']],
    [
      'other choices, which are the only values',
      { ...choices, choicesOnly: true },
      { choices: { query: 'QD_Towns_Demo', value: 'Town' }, choicesOnly: true },
      ['choicesChanged!'],
    ],
  ];
  it.each(cases)('%s', (_name, before, after, expected) => {
    const changes = compare([[{ ...region, ...before }], [{ ...region, ...after }]]);
    expect(short(changes)).toEqual(expected);
    expect(changes.every(({ path }) => path === 'parameters.@Region')).toBe(true);
    expect(isBreaking(changes)).toBe(expected.some((kind) => kind.endsWith('!')));
  });

  it('removed, and added with and without the need to send it', () => {
    const added = (more: Partial<ParameterDefinition>) => short(compare([[], [{ ...region, ...more }]]));
    expect(short(compare([[region], []]))).toEqual(['parameterRemoved!']);
    expect(short(compare([[{ ...region, boundTo: 'user.name' }], []]))).toEqual(['parameterRemoved!']);
    expect(added({})).toEqual(['parameterAdded']);
    expect(added({ required: true })).toEqual(['parameterAdded!']);
    expect(added({ required: true, default: 'x' })).toEqual(['parameterAdded']);
    expect(added({ boundTo: 'user.name' })).toEqual(['parameterAdded!']);
  });

  it('spelled in another case are the same', () => {
    expect(compare([[region], [{ ...region, name: '@region' }]])).toEqual([]);
    const both = [region, { ...region, name: '@REGION' }];
    expect(short(compare([both, [region]]))).toEqual(['parameterRemoved!']);
  });

  it('are shown with what they were and are', () => {
    expect(compare([[{ ...region, ...values }], [{ ...region, values: ['North'], dataType: 'int' }]])).toEqual([
      { kind: 'parameterNarrowed', path: 'parameters.@Region', from: 'nvarchar(50)', to: 'int', breaking: true },
      { kind: 'valuesRemoved', path: 'parameters.@Region', from: ['South'], to: null, breaking: true },
    ]);
  });
});

describe('columns', () => {
  const column = (label: string, type = 'INTEGER', name = label): ComparedColumn => ({
    name,
    label,
    type,
    kind: /varchar|string/i.test(type) ? 'text' : 'integer',
  });
  const changes = (before: readonly ComparedColumn[] | null, after: readonly ComparedColumn[] | null) =>
    compare([[], []], [before, after]);
  const [one, two, three] = [column('One'), column('Two', 'VARCHAR'), column('Three')];

  it('are not compared without a validation', () => {
    expect(changes(null, [one])).toEqual([]);
    expect(changes([one], null)).toEqual([]);
  });
  it('removed, added and in another order', () => {
    expect(short(changes([one, two], [one]))).toEqual(['columnRemoved!']);
    expect(short(changes([one], [one, two]))).toEqual(['columnAdded']);
    expect(short(changes([one, two, three], [one, three]))).toEqual(['columnRemoved!']);
    expect(short(changes([one, two], [two, one]))).toEqual(['columnsReordered']);
    expect(short(changes([one, two], [three, one, two]))).toEqual(['columnAdded']);
  });
  it('renamed, by their display name or in their place', () => {
    const renamed = { kind: 'columnRenamed', path: 'columns.Two', from: 'Two', to: 'Zwei', breaking: true };
    expect(changes([one, two], [one, column('Zwei', 'VARCHAR', 'Two')])).toEqual([renamed]);
    expect(changes([one, two], [one, column('Zwei', 'VARCHAR')])).toEqual([renamed]);
    expect(short(changes([one, two], [one, column('Vier')]))).toEqual(['columnRemoved!', 'columnAdded']);
  });
  it('renamed, tens of thousands of them', () => {
    const many = (suffix: string) =>
      Array.from({ length: 100_000 }, (_, index) => column(`${index}${suffix}`, 'INTEGER', `${index}`));
    expect(new Set(short(changes(many(''), many(' new'))))).toEqual(new Set(['columnRenamed!']));
  });
  it('of another type, or with NULL now', () => {
    expect(short(changes([one], [column('One', 'BIGINT')]))).toEqual(['columnType!']);
    expect(short(changes([one], [column('One', 'VARCHAR')]))).toEqual(['columnType!']);
    expect(changes([column('Two', 'VARCHAR(20)')], [column('Two', 'varchar(40)')])).toEqual([]);
    const nullable = (type: string) => column('Two', `Nullable(${type})`);
    expect(short(changes([column('Two', 'String')], [nullable('String')]))).toEqual(['columnNullable!']);
    expect(
      short(changes([column('Two', 'LowCardinality(String)')], [column('Two', 'LowCardinality(Nullable(String))')])),
    ).toEqual(['columnNullable!']);
    expect(changes([nullable('String')], [column('Two', 'String')])).toEqual([]);
    expect(short(changes([column('Two', 'Int32')], [nullable('Int64')]))).toEqual(['columnType!']);
    expect(changes([nullable('DateTime64(3)')], [nullable('DateTime64(6)')])).toEqual([]);
  });
});

it('compares the row limit and the Epilogue', () => {
  const of = (definition: { maxRows?: number; epilogue?: string }) => ({
    definition: { parameters: [], ...definition },
    columns: null,
  });
  const kinds = (before: object, after: object) => short(compareVersions(of(before), of(after)));
  expect(kinds({}, { maxRows: 10 })).toEqual(['maxRowsLowered!']);
  expect(kinds({ maxRows: 20 }, { maxRows: 10 })).toEqual(['maxRowsLowered!']);
  expect(kinds({ maxRows: 10 }, { maxRows: 20 })).toEqual(['maxRowsRaised']);
  expect(kinds({ maxRows: 10 }, {})).toEqual(['maxRowsRaised']);
  expect(kinds({}, { epilogue: 'delete from log' })).toEqual(['epilogueAdded!']);
  expect(kinds({ epilogue: 'delete from log' }, {})).toEqual([]);
});
