import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { createDatabase, postgresProblem } from '../support/postgres.ts';
import { jsonRows, never, number, rejection } from './connector-steps.ts';
import { type PostgresTestDatabase, preparePostgres } from './postgres-fixture.ts';

const problem = postgresProblem();
if (problem !== null) console.warn(`PostgreSQL is not there: ${problem}`);

/** Runs of the same moment whose statements are known to be quick share a connection, and nobody can tell but by the connection. */
describe.skipIf(problem !== null)('quick statements of PostgreSQL', () => {
  let database: PostgresTestDatabase;
  let connector: Connector;
  beforeAll(async () => {
    database = await preparePostgres(await createDatabase());
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    connector = await database.open(database.owner, { connections: 4 });
  });
  afterEach(() => connector.close());

  const run = async (sql: string, value: number, signal = never()) => {
    const statement = { sql, parameters: [number('@N', String(value))] };
    return (await jsonRows(await connector.run(statement, { timeoutMs: 20_000 }, signal)))[0];
  };
  /** Until it is known as quick, on every connection. */
  const warm = async (sql: string, value: number) => {
    for (let round = 0; round < 5; round++) await Promise.all([1, 2, 3, 4].map(() => run(sql, value)));
  };
  const answers = (values: readonly number[]) => values.map((value) => [String(value)]);
  const few = [1, 2, 3, 4, 5, 6, 7];

  test('share a connection, and each gets its own rows', async () => {
    const sql = 'SELECT @N, pg_backend_pid()';
    await warm(sql, 1);
    const rows = await Promise.all(few.map((value) => run(sql, value)));
    expect(rows.map((row) => row?.[0])).toEqual(few.map(String));
    expect(new Set(rows.map((row) => row?.[1])).size).toBe(1);
  });

  test('go alone until they have been quick for a while', async () => {
    const rows = await Promise.all([1, 2, 3, 4].map((value) => run('SELECT pg_backend_pid(), @N', value)));
    expect(new Set(rows.map((row) => row?.[0])).size).toBe(4);
  });

  test.each([
    ['fails', 'SELECT 1 / @N * 0 + @N', 0, /division by zero/],
    ['ends its connection', 'SELECT CASE WHEN @N = 0 THEN pg_terminate_backend(pg_backend_pid())::int ELSE @N END', 0, /./],
  ])('one that %s fails alone', async (_how, sql, broken, message) => {
    await warm(sql, 1);
    const failing = rejection(run(sql, broken));
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(answers(few));
    expect((await failing).message).toMatch(message);
    expect(await run(sql, 3)).toEqual(['3']);
  });

  test('one that has become slow holds nobody up', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE WHEN @N = 0 THEN 3 ELSE 0 END)';
    await warm(sql, 1);
    const begun = performance.now();
    const slow = run(sql, 0);
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(answers(few));
    expect(performance.now() - begun).toBeLessThan(2500);
    expect(await slow).toEqual(['0']);
  });

  test('one that has become large arrives whole, and so do the others', async () => {
    const sql = "SELECT max(n), count(*) OVER (), repeat('x', 100) FROM generate_series(1, @N) n GROUP BY n ORDER BY n";
    await warm(sql, 1);
    const large = connector.run({ sql, parameters: [number('@N', '100000')] }, { timeoutMs: 20_000 }, never());
    const small = await Promise.all(few.map((value) => run(sql, value)));
    expect(small.map((row) => row?.[1])).toEqual(few.map(String));
    const rows = await jsonRows(await large);
    expect(rows).toHaveLength(100_000);
    expect(rows.at(-1)?.[0]).toBe('100000');
  });

  test('who leaves is told at once, the others arrive', async () => {
    const sql = 'SELECT @N';
    await warm(sql, 1);
    const leaving = new AbortController();
    const left = rejection(run(sql, 9, leaving.signal));
    const others = Promise.all(few.map((value) => run(sql, value)));
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    expect(await others).toEqual(answers(few));
  });

  test('who leaves a slow one leaves nothing running', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE WHEN @N = 0 THEN 30 ELSE 0 END)';
    await warm(sql, 1);
    const leaving = new AbortController();
    const left = rejection(run(sql, 0, leaving.signal));
    await sleep(20);
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    await sleep(1500);
    expect((await database.backends()).filter(({ state }) => state !== 'idle')).toEqual([]);
  });

  test('closing the database ends them', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE WHEN @N = 0 THEN 30 ELSE 0 END)';
    await warm(sql, 1);
    const ended = rejection(run(sql, 0));
    await sleep(20);
    await connector.close();
    expect((await ended).kind).toBe('unavailable');
  });

  test('nothing passes from one to the next: no setting, no lock, no right to write', async () => {
    const setting = "SELECT @N, set_config('search_path', 'nowhere', false), set_config('statement_timeout', '1', true)";
    const reading = "SELECT @N, current_setting('search_path'), current_setting('transaction_read_only')";
    const locking = 'SELECT @N, pg_advisory_lock(4711)';
    for (const sql of [setting, reading, locking]) await warm(sql, 1);
    const [, read, , again] = await Promise.all([run(setting, 1), run(reading, 2), run(locking, 3), run(reading, 4)]);
    expect(read).toEqual(['2', '"\\"$user\\", public"', '"on"']);
    expect(again).toEqual(['4', '"\\"$user\\", public"', '"on"']);
    expect((await database.admin.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")).rows).toEqual([]);

    const writing = "SELECT CASE WHEN @N = 0 THEN nextval('numbers') ELSE @N END";
    await warm(writing, 1);
    const refused = rejection(run(writing, 0));
    expect(await Promise.all(few.map((value) => run(writing, value)))).toEqual(answers(few));
    expect((await refused).message).toContain('read-only transaction');
  });

  test('a table that changes under them is met by the new plan', async () => {
    await database.admin.query('CREATE TABLE moving (a int); INSERT INTO moving VALUES (1); GRANT SELECT ON moving TO public');
    const sql = 'SELECT * FROM moving WHERE @N > 0';
    await warm(sql, 1);
    await database.admin.query("ALTER TABLE moving ADD b text DEFAULT 'new'");
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(few.map(() => ['1', '"new"']));
  });

  test('other time-outs travel apart', async () => {
    const sql = "SELECT @N, current_setting('statement_timeout')";
    await warm(sql, 1);
    const bounded = async (timeoutMs: number) =>
      (await jsonRows(await connector.run({ sql, parameters: [number('@N', '1')] }, { timeoutMs }, never())))[0]?.[1];
    const [short, long] = await Promise.all([bounded(10_000), bounded(20_000)]);
    expect([short, long]).toEqual(['"910s"', '"920s"']);
  });
});
