import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../support/databases/duckdb-file.ts';
import { makeMariadb } from '../support/databases/mariadb-server.ts';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { expectFieldProblem } from '../support/http/problem.ts';
import { publish } from '../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

// The database searches the choices, and every engine finds the same ones. There are more choices than a call reads.

const FILLERS = 300_000;
const labels = [
  'Lisboa',
  'LISBOA 100%',
  'lisboa_norte',
  'VALÈNCIA',
  'Straße',
  '\u0130stanbul',
  '300 \u212a',
  "O'Brien",
  'back\\slash',
  '[x] "y" `z`',
  'New York ',
  '日本',
];
const rows = [...labels.map((label, index) => [`c${index}`, label] as const), ['unnamed', null] as const];
const literal = (text: string | null): string => (text === null ? 'null' : `'${text.replaceAll("'", "''")}'`);
const insert = (escaped = (text: string) => text): string =>
  `insert into places values ${rows.map(([code, label], index) => `(${FILLERS + index}, '${code}', ${escaped(literal(label))})`).join(', ')}`;
const table = 'create table places (id integer, code varchar(20), label varchar(50))';

const closing: (() => Promise<void>)[] = [];
let service: TestService;
let root: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  root = service.as(admin);
});
afterAll(async () => {
  await service.close();
  for (const close of closing) await close();
});

type Connection = Readonly<Record<string, unknown>>;
const engines: readonly { kind: string; open: () => Promise<Connection | string> }[] = [
  {
    kind: 'duckdb',
    open: async () => {
      const fill = `insert into places select range, 'f' || range, 'Filler ' || range from range(${FILLERS})`;
      return { file: await makeDuckdbFile(service.files, 'places.duckdb', [table, fill, insert()]) };
    },
  },
  {
    kind: 'sqlite',
    open: async () => {
      const file = new DatabaseSync(join(service.files, 'places.db'));
      const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${FILLERS - 1})`;
      file.exec(`${table}; insert into places ${numbers} select i, 'f' || i, 'Filler ' || i from n; ${insert()}`);
      file.close();
      return { file: 'places.db' };
    },
  },
  {
    kind: 'postgres',
    open: async () => {
      const problem = postgresProblem();
      if (problem !== null) return problem;
      const [url, password] = [await createDatabase(), randomBytes(8).toString('hex')];
      const user = `places_${randomBytes(4).toString('hex')}`;
      const fill = `insert into places select i, 'f' || i, 'Filler ' || i from generate_series(0, ${FILLERS - 1}) i`;
      const grants = [`create role ${user} login password '${password}'`, `grant select on places to ${user}`];
      await execute(url, [table, fill, insert(), ...grants].join(';'));
      const { hostname, port, pathname } = new URL(url);
      return { host: hostname, port: Number(port), user, password, database: pathname.slice(1) };
    },
  },
  {
    kind: 'mysql',
    open: async () => {
      const server = await makeMariadb();
      if (typeof server === 'string') return server;
      closing.push(() => server.remove());
      const password = randomBytes(8).toString('hex');
      const fill = `insert into places select seq, concat('f', seq), concat('Filler ', seq) from seq_0_to_${FILLERS - 1}`;
      const account = [`create user places identified by '${password}'`, 'grant select on places.* to places'];
      const values = insert((text) => text.replaceAll('\\', '\\\\'));
      await server.execute('create database places character set utf8mb4', 'use places', table, fill, values, ...account);
      return { host: server.host, port: server.port, user: 'places', password, database: 'places' };
    },
  },
];

describe.each(engines)('choices on $kind', ({ kind, open }) => {
  let skipped = '';
  beforeAll(async () => {
    const connection = await open();
    if (typeof connection === 'string') {
      if (process.env.CI === 'true') throw new Error(connection);
      skipped = connection;
      return;
    }
    const database = kind;
    await expectStatus(root.call('POST', '/api/v1/databases', { name: database, kind, connection }), 201);
    const sql = 'with p as (select * from places) select code, label, id from p order by id; -- all of them';
    await publish(root, { name: 'Places', database, sql });
    const choices = (value: string, label: string) => ({ choices: { query: `QD_Places_${kind}`, value, label } });
    await publish(root, {
      name: 'Chosen',
      database,
      sql: 'select 1 as n where @Code is null or @Id is null or 1 = 1',
      parameters: [
        { name: '@Code', dataType: 'nvarchar(20)', ...choices('code', 'label'), choicesOnly: true },
        { name: '@Id', dataType: 'int', ...choices('id', 'id'), choicesOnly: true },
      ],
    });
  }, 120_000);

  test.each([
    ...['lisboa', 'LISBOA', 'boa_', '100%', '%', '_', "o'b", '\\', 'k s', '[X] "', '`z`', 'york ', 'valènc', 'STRASSE', 'straß'],
    ...['istan', 'STAN', '300 k', '日', 'unnamed', 'filler 299999', 'no such'],
  ])('finds the choices that contain %s', async (search) => {
    if (skipped !== '') return;
    const query = new URLSearchParams({ parameter: '@Code', search, limit: '50' });
    const path = `/api/v1/queries/QD_Chosen_${kind}/choices?${query}`;
    const { json } = await expectStatus(root.call<{ items: { value: string }[]; truncated: boolean }>('GET', path), 200);
    const wanted = search.toLowerCase();
    const expected: string[] = rows
      .filter(([code, label]) => (label ?? code).toLowerCase().includes(wanted))
      .map(([code]) => code);
    if (search.startsWith('filler')) expected.push('f299999');
    const found = json.items.map(({ value }) => value);
    expect(kind === 'mysql' ? found.toSorted() : found).toEqual(kind === 'mysql' ? expected.toSorted() : expected);
    expect(json.truncated).toBe(false); // the database searched them
  });

  test('reads a part of the choices if engines fold the case of a letter differently', async () => {
    if (skipped !== '') return;
    const path = `/api/v1/queries/QD_Chosen_${kind}/choices?parameter=@Code&search=%C3%9F`;
    expect((await expectStatus(root.call('GET', path), 200)).json).toEqual({ items: [], truncated: true });
  });

  test('decides whether a value is a choice', async () => {
    if (skipped !== '') return;
    const run = (ParameterName: string, Value: string) => root.run(`QD_Chosen_${kind}`, [{ ParameterName, Value }]);
    for (const [name, value] of [
      ['@Code', 'f299999'],
      ['@Code', 'unnamed'],
      ['@Id', '300005'],
    ] as const)
      await expectStatus(run(name, value), 200);
    for (const [name, value] of [
      ['@Code', 'F299999'],
      ['@Code', 'f300000'],
      ['@Id', '-1'],
    ] as const) {
      expect(await expectFieldProblem(run(name, value), 'parameter_invalid', name)).toContain('is not one of its choices');
    }
  });
});
