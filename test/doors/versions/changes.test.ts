import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { expectFieldProblem, expectProblem } from '../../support/http/problem.ts';
import { changesOf, compare, move, saveDraft } from '../../support/queries/changes.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
});
afterAll(() => service?.close());

let count = 0;
const SQL = "select 'item ' || i as label, i::integer as value from range(1, 4) r(i) where i >= @From order by i";
const from = (more: Record<string, unknown> = {}) => ({ name: '@From', dataType: 'int', required: false, default: '1', ...more });
const publishQuery = (more: Record<string, unknown> = {}) =>
  publish(root, { name: `Compared ${++count}`, sql: SQL, parameters: [from()], ...more });
const edit = (id: string, change: Record<string, unknown>) =>
  expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, change), 200);
const kindsOf = async (id: string, search = '') => (await changesOf(root, id, search)).changes.map(({ kind }) => kind);

describe('the comparison of versions', () => {
  it('takes the Active version and the draft by default', async () => {
    const { id } = await publishQuery();
    await saveDraft(root, id, { sql: "select 'item ' || @From as label" });
    expect(await changesOf(root, id)).toMatchObject({
      from: { version: 1, activatedAs: 1, createdBy: 'admin' },
      to: { version: 2, activatedAs: null },
      columnsCompared: true,
      breaking: true,
      changes: [
        {
          kind: 'columnRemoved',
          path: 'columns.value',
          from: 'INTEGER',
          to: null,
          breaking: true,
          message: 'The column value was removed.',
        },
      ],
    });
  });

  it('takes any two, in either direction', async () => {
    const { id } = await publishQuery();
    await saveDraft(root, id, { maxRows: 100 });
    await expectStatus(move(root, id, 'activate'), 200);
    await edit(id, { tip: 'a version that differs in its labels' });
    await saveDraft(root, id, { maxRows: 50, sql: `${SQL} desc` });
    const maxRows = async (search: string) =>
      (await changesOf(root, id, search)).changes.map(({ kind, from: before, to }) => [kind, before, to]);
    expect(await maxRows('')).toEqual([['maxRowsLowered', 100, 50]]);
    expect(await maxRows('?from=1&to=2')).toEqual([['maxRowsLowered', null, 100]]);
    expect(await maxRows('?from=2&to=1')).toEqual([['maxRowsRaised', 100, null]]);
    expect(await maxRows('?from=1&to=active')).toEqual([['maxRowsLowered', null, 100]]);
    expect(await maxRows('?from=1&to=draft')).toEqual([['maxRowsLowered', null, 50]]);
    expect(await maxRows('?from=draft&to=active')).toEqual([['maxRowsRaised', 50, 100]]);
    expect(await maxRows('?from=2&to=3')).toEqual([]);
    expect(await maxRows('?from=1&to=1')).toEqual([]);
    expect(await changesOf(root, id)).toMatchObject({ from: { version: 3, activatedAs: 2 }, to: { version: 4 } });
  });

  it('includes columns only if both versions were validated', async () => {
    const { id } = await publishQuery();
    await edit(id, { sql: 'select @To as other', parameters: [{ name: '@To', dataType: 'int', required: true }] });
    const found = await changesOf(root, id);
    expect(found.columnsCompared).toBe(false);
    expect(found.changes.map(({ kind }) => kind)).toEqual(['parameterRemoved', 'parameterAdded']);
    await expectStatus(move(root, id, 'validate'), 200);
    expect(await kindsOf(id)).toContain('columnRemoved');
  });

  it('takes the version that callers last got of a query that is not Active, even if it was edited since or is Void', async () => {
    const { id } = await publishQuery();
    await expectStatus(move(root, id, 'deactivate'), 200);
    await expectProblem(compare(root, id), 404, 'not_found');
    expect(await kindsOf(id, '?from=1&to=active')).toEqual([]);
    await saveDraft(root, id, { maxRows: 10 });
    await saveDraft(root, id, { maxRows: 5 });
    expect(await changesOf(root, id)).toMatchObject({ from: { version: 1 }, to: { version: 3 }, changes: [{ to: 5 }] });
    await expectStatus(move(root, id, 'void'), 200);
    expect(await changesOf(root, id, '?to=3')).toMatchObject({ from: { version: 1 }, to: { version: 3 } });
  });

  it('is a 404 that names the version if it does not exist', async () => {
    const { id } = await publishQuery();
    const detailOf = async (search: string, query = id) =>
      (await expectProblem(compare(root, query, search), 404, 'not_found')).detail;
    expect(await detailOf('')).toBe('There is no draft of this query.');
    expect(await detailOf('?from=2&to=1')).toBe('There is no version 2 of this query.');
    expect(await detailOf('?to=999999999')).toBe('There is no version 999999999 of this query.');
    const body = { name: 'Never Active', database: 'Demo', sql: 'select 1 as n' };
    const { json } = await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', body), 201);
    expect(await detailOf('', json.id)).toBe('There is no version of this query that was ever Active.');
    expect(await detailOf('', 'unknown')).toBe('There is no query with the id unknown.');
  });

  it.each([
    ['from', 'from=0'],
    ['from', 'from=current'],
    ['to', 'to=-1'],
    ['to', 'to=1.5'],
    ['days', 'days=0'],
    ['days', 'days=367'],
    ['days', 'days=soon'],
    ['days', 'days=Infinity'],
  ])('an invalid %s is refused: %s', async (field, search) => {
    const { id } = await publishQuery();
    await expectFieldProblem(compare(root, id, `?${search}`), 'field_invalid', field);
  });
});

describe('changes', () => {
  const choices = (query: string, more: Record<string, unknown> = {}) => ({
    sql: `${SQL}, @Item`,
    parameters: [from(), { name: '@Item', dataType: 'varchar', required: false, ...more, choices: { query, value: 'label' } }],
  });
  const item = (more: Record<string, unknown>) => ({
    sql: `${SQL}, @Item`,
    parameters: [from(), { name: '@Item', dataType: 'varchar(20)', required: false, ...more }],
  });
  const columns = (select: string) => ({ sql: `${select} from range(1, 4) r(i) where i >= @From` });
  const two = "select 'x' as label, i::integer as value";
  type Case = readonly [
    kind: string,
    before: Record<string, unknown>,
    after: Record<string, unknown>,
    path: string,
    breaking: boolean,
  ];
  const cases: readonly Case[] = [
    ['parameterRemoved', item({}), { parameters: [from()], sql: SQL }, 'parameters.@Item', true],
    ['parameterAdded', {}, item({}), 'parameters.@Item', false],
    ['parameterAdded', {}, item({ required: true }), 'parameters.@Item', true],
    ['parameterAdded', {}, item({ required: true, default: 'a' }), 'parameters.@Item', false],
    ['parameterAdded', {}, item({ required: true, boundTo: 'user.name' }), 'parameters.@Item', true],
    ['parameterRequired', item({}), item({ required: true }), 'parameters.@Item', true],
    ['parameterOptional', item({ required: true }), item({}), 'parameters.@Item', false],
    ['parameterDefault', {}, { parameters: [from({ default: '2' })] }, 'parameters.@From', false],
    ['parameterNarrowed', item({}), item({ dataType: 'varchar(10)' }), 'parameters.@Item', true],
    ['parameterWidened', {}, { parameters: [from({ dataType: 'bigint' })] }, 'parameters.@From', false],
    ['parameterBound', item({ required: true }), item({ required: true, boundTo: 'user.name' }), 'parameters.@Item', true],
    ['parameterUnbound', item({ required: true, boundTo: 'user.name' }), item({ required: true }), 'parameters.@Item', true],
    ['valuesRemoved', item({ values: ['a', 'b'] }), item({ values: ['a'] }), 'parameters.@Item', true],
    ['valuesAdded', item({ values: ['a'] }), item({ values: ['a', 'b'] }), 'parameters.@Item', false],
    ['valuesClosed', item({}), item({ values: ['a'] }), 'parameters.@Item', true],
    ['valuesOpened', item({ values: ['a'] }), item({ values: ['a'], valuesOpen: true }), 'parameters.@Item', false],
    ['columnRemoved', columns(`${two}, 1 as more`), columns(two), 'columns.more', true],
    ['columnRenamed', {}, { columns: [{ name: 'value', displayName: 'Amount' }] }, 'columns.value', true],
    ['columnType', {}, columns("select 'x' as label, i::varchar as value"), 'columns.value', true],
    ['columnAdded', {}, columns(`${two}, 1 as more`), 'columns.more', false],
    ['columnsReordered', {}, columns("select i::integer as value, 'x' as label"), 'columns', false],
    ['maxRowsLowered', {}, { maxRows: 10 }, 'maxRows', true],
    ['maxRowsRaised', { maxRows: 10 }, { maxRows: 20 }, 'maxRows', false],
  ];

  it.each(cases)('%s from %j to %j', async (kind, before, after, path, breaking) => {
    const { id } = await publishQuery(before);
    await saveDraft(root, id, after);
    const found = await changesOf(root, id);
    expect(found.changes).toEqual(
      [
        { kind, path, breaking, from: expect.anything(), to: expect.anything(), message: expect.stringMatching(/^The .*\.$/) },
      ].map(({ from: _from, to: _to, ...rest }) => expect.objectContaining(rest)),
    );
    expect(found.breaking).toBe(breaking);
    const activated = await move(root, id, 'activate', { ifNotBreaking: true });
    expect(activated.status).toBe(breaking ? 409 : 200);
  });

  it('of lists, choices and an Epilogue', async () => {
    const file = await makeDuckdbFile(service.files, 'ledger.duckdb', ['create table log (n int)']);
    const ledger = { name: 'Ledger', kind: 'duckdb', connection: { file }, writable: true };
    await expectStatus(root.call('POST', '/api/v1/databases', ledger), 201);
    const [one, other] = [await publishQuery(), await publishQuery()];
    const list = (multiple: boolean) => ({
      sql: `${SQL.replace('order by i', '')} and label in (@Items)`,
      parameters: [from(), { name: '@Items', dataType: 'varchar', required: true, multiple }],
    });
    const steps: readonly (readonly [Record<string, unknown>, string, boolean])[] = [
      [list(true), 'parameterAdded', true],
      [list(false), 'parameterSingle', true],
      [list(true), 'parameterList', false],
      [item({ required: false }), 'parameterRemoved', true],
      [choices(one.queryName), 'choicesAdded', false],
      [choices(other.queryName), 'choicesChanged', false],
      [choices(other.queryName, { choicesOnly: true }), 'choicesClosed', true],
      [choices(one.queryName, { choicesOnly: true }), 'choicesChanged', true],
      [choices(one.queryName), 'choicesOpened', false],
      [item({}), 'choicesRemoved', true],
      [{ database: 'Ledger', epilogue: 'insert into log values (1)' }, 'epilogueAdded', true],
    ];
    const { id } = await publishQuery();
    for (const [change, kind, breaking] of steps) {
      await saveDraft(root, id, change);
      const { changes } = await changesOf(root, id);
      expect([kind, changes.filter((each) => each.kind === kind)]).toMatchObject([kind, [{ breaking }]]);
      await expectStatus(move(root, id, 'activate'), 200);
    }
  });

  it('of the SQL alone are none', async () => {
    const { id } = await publishQuery();
    await saveDraft(root, id, { sql: `${SQL} desc`, tip: 'In another order', timeoutSeconds: 5, cacheSeconds: 60 });
    expect(await changesOf(root, id)).toMatchObject({ changes: [], breaking: false });
  });
});
