import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf, fieldsOf, expectSuccess, createNote } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import type { PreviewInput } from './preview.ts';

let catalog: Catalog;
beforeAll(async () => {
  catalog = await openCatalog();
  await catalog.people.add('ann', ['Query Author'], { databaseScope: ['sales'] });
  await catalog.people.add('bob', ['Query User'], { databaseScope: ['sales'] });
});
afterAll(() => catalog.close());

const region = { name: '@Region', dataType: 'nvarchar(50)', required: true };
const preview = async (
  input: Partial<PreviewInput>,
  username = 'ann',
  signal = new AbortController().signal,
  note = createNote(),
) =>
  catalog.preview(
    await catalog.people.as(username),
    { database: 'Sales', sql: '', parameters: [], values: [], as: null, ...input },
    { channel: 'management', startedAt: 0, signal },
    note,
  );

describe('a preview', () => {
  it('returns rows encoded like result pages, and the class of each column', async () => {
    const note = createNote();
    const sql = 'select id, amount, region, id as id from orders where region = @Region';
    const values = [{ ParameterName: '@Region', Value: 'South' }];
    const json = expectSuccess(await preview({ sql, parameters: [region], values }, 'ann', undefined, note));
    expect(json).toBe(
      '{"data":[{"id":"9007199254740993","amount":0.10,"region":"South","id_2":"9007199254740993"}],' +
        '"columns":[{"name":"id","type":"numeric"},{"name":"amount","type":"numeric"},' +
        '{"name":"region","type":"categorical"},{"name":"id_2","type":"numeric"}]}',
    );
    expect(note).toMatchObject({
      rows: 1,
      bytes: json.length,
      parameters: { database: 'Sales', sql, values: { '@Region': 'South' } },
    });
  });

  it('stops after 100 rows', async () => {
    const json = expectSuccess(await preview({ sql: 'select range as n from range(100000)' }));
    const { data } = JSON.parse(json);
    expect(data).toHaveLength(100);
    expect(data[99]).toEqual({ n: 99 });
  });

  it('ignores parameters that the text does not use', async () => {
    expectSuccess(await preview({ sql: 'select 1 as one', parameters: [region] }));
    expectSuccess(
      await preview({ sql: 'select 1 as one', parameters: [region], values: [{ ParameterName: '@Region', Value: 'x' }] }),
    );
    const anonymous = await preview({
      sql: 'select 1 as one',
      parameters: [region],
      values: [{ ParameterName: '@X', Value: 'x' }],
    });
    expect(failureOf(anonymous).kind).toBe('ParameterUnknown');
  });

  it('checks parameters and values', async () => {
    const sql = 'select @Region as r';
    expect(fieldsOf(await preview({ sql }))).toEqual(['sql']);
    expect(fieldsOf(await preview({ sql, parameters: [{ ...region, dataType: 'color' }] }))).toEqual(['parameters.0.dataType']);
    expect(failureOf(await preview({ sql, parameters: [region] }))).toMatchObject({
      kind: 'ParameterInvalid',
      problems: [{ field: '@Region' }],
    });
  });

  it('reports database errors, including those raised while rows are read', async () => {
    expect(failureOf(await preview({ sql: 'select\n nothing' }))).toMatchObject({ kind: 'SqlInvalid', line: 2, column: 2 });
    const breaking = "select cast(case when range = 90 then 'x' else '1' end as integer) as n from range(100)";
    expect(failureOf(await preview({ sql: breaking }))).toMatchObject({ kind: 'SqlInvalid' });
  });

  it('writes nothing, even where the database is writable', async () => {
    const sql = 'delete from orders returning id';
    expect(failureOf(await preview({ sql, database: 'Ledger' }, 'admin')).kind).toBe('SqlInvalid');
    const left = expectSuccess(await preview({ sql: 'select count(*) as n from orders', database: 'Ledger' }, 'admin'));
    expect(JSON.parse(left).data).toEqual([{ n: 3 }]);
  });

  it('stops when the caller disconnects', async () => {
    const leaving = new AbortController();
    const sql = 'select count(*) as n from range(100000000) a, range(100000000) b';
    const running = preview({ sql }, 'ann', leaving.signal);
    setTimeout(() => leaving.abort(), 100);
    expect(failureOf(await running).kind).toBe('QueryCancelled');
  });

  it('is listed among running executions and can be cancelled', async () => {
    const sql = 'select count(*) as n from range(100000000) a, range(100000000) b';
    const running = preview({ sql });
    const [mine] = await waitUntil(
      async () => catalog.executions.list(),
      ([one]) => one?.state === 'running',
    );
    expect(mine).toMatchObject({ query: '(preview on Sales)', user: 'ann', channel: 'management', rows: 0 });
    expect(catalog.executions.cancel(mine?.id ?? '')).toBe(true);
    expect(failureOf(await running).kind).toBe('QueryCancelled');
    expect(catalog.executions.list()).toEqual([]);
  });

  it('requires an author, a database in scope, and an enabled database', async () => {
    const sql = 'select 1 as one';
    expect(failureOf(await preview({ sql }, 'bob'))).toMatchObject({ permission: 'queries.author' });
    expect(fieldsOf(await preview({ sql, database: 'Ledger' }))).toEqual(['database']);
    expect(failureOf(await preview({ sql, database: 'Stock' }, 'admin')).kind).toBe('DatabaseUnavailable');
    expectSuccess(await catalog.databases.change(catalog.admin, 'stock', { disabled: true }, undefined, createNote()));
    expect(failureOf(await preview({ sql, database: 'Stock' }, 'admin')).kind).toBe('StateConflict');
  });

  it('keeps masked values out of the audit trail', async () => {
    const note = createNote();
    const values = [{ ParameterName: '@Region', Value: 'secret-canary' }];
    expectSuccess(
      await preview({ sql: 'select @Region as r', parameters: [{ ...region, masked: true }], values }, 'ann', undefined, note),
    );
    expect(JSON.stringify(note.parameters)).not.toContain('canary');
  });
});
