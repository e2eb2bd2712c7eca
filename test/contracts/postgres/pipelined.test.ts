import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { postgres } from '../../../src/connectors/postgres/index.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { jsonRows, createSignal, number, rejection } from '../connector-steps.ts';
import { type PostgresTestDatabase, preparePostgres, request } from './fixture.ts';

const QUICK_MS = 20;
const OUTLASTS_TEST_MS = 120_000;
const problem = postgresProblem();
if (problem !== null) console.warn(`PostgreSQL is not there: ${problem}`);

/** Parallel runs of statements known to be quick share a connection in a pipelined batch, with no other visible effect. */
describe.skipIf(problem !== null)('quick statements of PostgreSQL', () => {
  let database: PostgresTestDatabase;
  let connector: Connector;
  beforeAll(async () => {
    database = await preparePostgres(await createDatabase());
    await database.admin.query(
      'CREATE FUNCTION become(text, text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT set_config($1, $2, $3) $$',
    );
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    connector = await database.open(database.owner, { connections: 4 });
  });
  afterEach(() => connector.close());

  const all = async (sql: string, value: number, signal = createSignal()) => {
    const statement = { sql, parameters: [number('@N', String(value))] };
    return jsonRows(await connector.run(statement, { timeoutMs: OUTLASTS_TEST_MS }, signal));
  };
  const run = async (sql: string, value: number, signal = createSignal()) => (await all(sql, value, signal))[0];
  /** Runs it until it is known as quick on every connection: a slow run, as on a busy machine, restarts the count. */
  const warm = async (sql: string, value: number) => {
    for (let round = 0, quickRounds = 0; round < 5 || quickRounds < 2; round++) {
      const startedAt = performance.now();
      await Promise.all([1, 2, 3, 4].map(() => run(sql, value)));
      quickRounds = performance.now() - startedAt < QUICK_MS ? quickRounds + 1 : 0;
    }
  };
  const listBusy = async () => (await database.backends()).filter(({ state }) => state !== 'idle');
  const responses = (values: readonly number[]) => values.map((value) => [String(value)]);
  const few = [1, 2, 3, 4, 5, 6, 7];

  /** On a busy machine a late batch may be split: the checks inside a round hold in every round, its result in at least one. */
  const retryUntilEqual = async <T>(expected: T, statements: readonly string[], round: () => Promise<T>) => {
    let found: T | undefined;
    for (let rounds = 0; rounds < 40 && !isDeepStrictEqual(found, expected); rounds++) {
      for (const sql of statements) await warm(sql, 1);
      found = await round();
    }
    expect(found).toEqual(expected);
  };

  test('share a connection, and each gets its own rows', async () => {
    const sql = 'SELECT @N, pg_backend_pid()';
    await retryUntilEqual(1, [sql], async () => {
      const rows = await Promise.all(few.map((value) => run(sql, value)));
      expect(rows.map((row) => row?.[0])).toEqual(few.map(String));
      return new Set(rows.map((row) => row?.[1])).size;
    });
  });

  test('use separate connections if the setting of the database is off', async () => {
    await connector.close();
    connector = await postgres.open({ ...request(database.owner, { connections: 4 }), settings: { pipelinedBatches: false } });
    const sql = 'SELECT @N, pg_backend_pid() FROM pg_sleep(0.01)';
    await warm(sql, 1);
    const rows = await Promise.all([1, 2, 3, 4].map((value) => run(sql, value)));
    expect(rows.map((row) => row?.[0])).toEqual(['1', '2', '3', '4']);
    expect(new Set(rows.map((row) => row?.[1])).size).toBe(4);
  });

  test('a statement prepared by several runs in parallel is prepared once', async () => {
    await connector.close();
    connector = await database.open(database.owner, { connections: 1 });
    const sql = 'SELECT @N AS marked';
    for (let round = 0; round < 6; round++) await run(sql, 1);
    for (let other = 0; other < 110; other++) await run(`SELECT @N + ${other}`, 1); // the connection keeps a hundred
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(responses(few));
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(responses(few));
    const open = "SELECT count(*), @N FROM pg_prepared_statements WHERE statement LIKE '%AS marked' AND name <> ''";
    expect(await run(open, 1)).toEqual(['1', '1']);
  });

  test('are not batched until they have been quick several times', async () => {
    const rows = await Promise.all([1, 2, 3, 4].map((value) => run('SELECT pg_backend_pid(), @N', value)));
    expect(new Set(rows.map((row) => row?.[0])).size).toBe(4);
  });

  test.each([
    ['fails', 'SELECT 1 / @N * 0 + @N', 0, /division by zero/],
    ['ends its connection', 'SELECT CASE WHEN @N = 0 THEN pg_terminate_backend(pg_backend_pid())::int ELSE @N END', 0, /./],
  ])('one that %s does not fail the others', async (_how, sql, broken, message) => {
    await warm(sql, 1);
    const failing = rejection(run(sql, broken));
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(responses(few));
    expect((await failing).message).toMatch(message);
    expect(await run(sql, 3)).toEqual(['3']);
  });

  test('one that has become slow does not delay the others', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE @N WHEN 0 THEN 3600 WHEN -1 THEN 0.5 ELSE 0 END)';
    await warm(sql, 1);
    const leaving = new AbortController();
    const endless = rejection(run(sql, 0, leaving.signal));
    const slow = run(sql, -1);
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(responses(few));
    expect(await slow).toEqual(['-1']);
    leaving.abort();
    expect((await endless).kind).toBe('cancelled');
  });

  test('one that has become large is returned completely, like the others', async () => {
    const sql = "SELECT max(n), count(*) OVER (), repeat('x', 100) FROM generate_series(1, @N) n GROUP BY n ORDER BY n";
    await warm(sql, 1);
    const large = connector.run({ sql, parameters: [number('@N', '100000')] }, { timeoutMs: 20_000 }, createSignal());
    const small = await Promise.all(few.map((value) => run(sql, value)));
    expect(small.map((row) => row?.[1])).toEqual(few.map(String));
    const rows = await jsonRows(await large);
    expect(rows).toHaveLength(100_000);
    expect(rows.at(-1)?.[0]).toBe('100000');
  });

  test('a cancelled run fails immediately, the others succeed', async () => {
    const sql = 'SELECT @N';
    await warm(sql, 1);
    const leaving = new AbortController();
    const left = rejection(run(sql, 9, leaving.signal));
    const others = Promise.all(few.map((value) => run(sql, value)));
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    expect(await others).toEqual(responses(few));
  });

  test('cancelling a slow one leaves nothing running', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE WHEN @N = 0 THEN 3600 ELSE 0 END)';
    await warm(sql, 1);
    const leaving = new AbortController();
    const left = rejection(run(sql, 0, leaving.signal));
    await expect.poll(listBusy).toHaveLength(1);
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    await expect.poll(listBusy).toEqual([]);
  });

  test('closing the connector ends them', async () => {
    const sql = 'SELECT @N FROM pg_sleep(CASE WHEN @N = 0 THEN 3600 ELSE 0 END)';
    await warm(sql, 1);
    const ended = rejection(run(sql, 0));
    await expect.poll(listBusy).toHaveLength(1);
    await connector.close();
    expect((await ended).kind).toBe('unavailable');
  });

  test('settings, locks and write access do not pass from one to the next', async () => {
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
    expect(await Promise.all(few.map((value) => run(writing, value)))).toEqual(responses(few));
    expect((await refused).message).toContain('read-only transaction');
  });

  test.each([
    ['transaction_read_only', 'off'],
    ['transaction_isolation', 'serializable'],
    ['transaction_deferrable', 'on'],
  ])('%s set by one does not affect the following ones', async (name, value) => {
    const kind = (each: string) => `current_setting('transaction_${each}')`;
    const reading = `SELECT @N, ${kind('read_only')}, ${kind('isolation')}, ${kind('deferrable')}`;
    const setting = `SELECT CASE WHEN @N = 0 THEN set_config('${name}', '${value}', false) END`;
    for (const sql of [setting, reading]) await warm(sql, 1);
    const refused = rejection(run(setting, 0));
    expect(await Promise.all(few.map((n) => run(reading, n)))).toEqual(
      few.map((n) => [`${n}`, '"on"', '"read committed"', '"off"']),
    );
    expect((await refused).message).toMatch(/before any query/);
  });

  test('a changed table gets a new plan', async () => {
    await database.admin.query('CREATE TABLE moving (a int); INSERT INTO moving VALUES (1); GRANT SELECT ON moving TO public');
    const sql = 'SELECT * FROM moving WHERE @N > 0';
    await warm(sql, 1);
    await database.admin.query("ALTER TABLE moving ADD b text DEFAULT 'new'");
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(few.map(() => ['1', '"new"']));
  });

  test('runs with different timeouts share a batch and the longest of them', async () => {
    const sql = "SELECT @N, pg_backend_pid(), current_setting('statement_timeout')";
    const bounded = async (timeoutMs: number) =>
      (await jsonRows(await connector.run({ sql, parameters: [number('@N', '1')] }, { timeoutMs }, createSignal())))[0]?.slice(1);
    await retryUntilEqual({ sameConnection: true, timeout: '"920s"' }, [sql], async () => {
      const [short, long] = await Promise.all([bounded(10_000), bounded(20_000)]);
      return { sameConnection: isDeepStrictEqual(short, long), timeout: long?.[1] };
    });
  });

  test('a statement whose batch was slow runs separately until it has been quick many times', async () => {
    const sql = 'SELECT @N, pg_backend_pid() FROM pg_sleep(CASE WHEN @N = 0 THEN 0.015 ELSE 0 END)';
    await retryUntilEqual(1, [sql], async () => {
      const slow = await Promise.all([0, 0, 0, 0].map((value) => run(sql, value)));
      return new Set(slow.map((row) => row?.[1])).size;
    });
    for (const times of [1, 2, 3]) {
      const later = await Promise.all([0, 0, 0, 0].map((value) => run(sql, value)));
      expect(new Set(later.map((row) => row?.[1])).size, `round ${times}`).toBe(4);
    }
  });

  describe('in one batch', () => {
    const most = 16;
    const batchOf = (call: number) => Math.floor(call / most);
    /** The backend and its count of transactions: `"3/141"`. */
    const transaction = "(SELECT virtualtransaction FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid())";
    const backendOf = (found: string | undefined) => found?.split('/')[0];
    const numbers = (count: number, first = 0) => Array.from({ length: count }, (_, index) => first + index);
    /** For each item the index of the first equal one. */
    const groups = (keys: readonly (string | number | undefined)[]) =>
      keys.map((key) => (key === undefined ? undefined : keys.indexOf(key)));

    const kinds = [
      { sql: `SELECT @N, ${transaction}`, rows: (n: number) => [[String(n)]] },
      { sql: `SELECT 'text ' || @N, @N % 2 = 0, ${transaction}`, rows: (n: number) => [[`"text ${n}"`, String(n % 2 === 0)]] },
      {
        sql: `SELECT n, @N, ${transaction} FROM generate_series(1, @N % 3) n`, // sometimes none
        rows: (n: number) => numbers(n % 3, 1).map((row) => [String(row), String(n)]),
      },
    ] as const;
    const [first, second, third] = kinds;

    test.each([
      ['in turns', (call: number) => kinds[call % 3] ?? first],
      ['in blocks', (call: number) => [third, first, second][Math.floor(call / 5) % 3] ?? first],
      ['at random', (call: number) => kinds[((call * 7919 + 13) % 101) % 3] ?? first],
      ['two of a kind among another', (call: number) => (call % most === 3 || call % most === 11 ? second : third)],
    ])('statements that join %s each get their rows in a separate transaction', async (_how, kindOf) => {
      const calls = numbers(2 * most).map((n) => ({ n, kind: kindOf(n) }));
      const has = ({ n, kind }: (typeof calls)[number]) => kind.rows(n).length > 0;
      const transactions = calls.map((call) => (has(call) ? call.n : undefined));
      const backends = groups(calls.map((call) => (has(call) ? batchOf(call.n) : undefined)));
      const statements = kinds.map(({ sql }) => sql);
      await retryUntilEqual({ transactions, backends }, statements, async () => {
        const results = await Promise.all(calls.map(({ n, kind }) => all(kind.sql, n)));
        expect(results.map((rows) => rows.map((row) => row.slice(0, -1)))).toEqual(calls.map(({ n, kind }) => kind.rows(n)));
        for (const rows of results) expect(new Set(rows.map((row) => row.at(-1))).size).toBeLessThan(2);
        const met = results.map((rows) => rows[0]?.at(-1));
        return { transactions: groups(met), backends: groups(met.map(backendOf)) };
      });
    });

    test('more than fit use several batches', async () => {
      const calls = numbers(2 * most);
      await retryUntilEqual(groups(calls.map(batchOf)), [first.sql], async () => {
        const rows = await Promise.all(calls.map((n) => run(first.sql, n)));
        expect(rows.map((row) => row?.[0])).toEqual(calls.map(String));
        return groups(rows.map((row) => backendOf(row?.[1])));
      });
    });

    test.each([
      ['set_config', true],
      ['set_config', false],
      ['pg_catalog.SET_CONFIG', true],
      ['pg_catalog . "set_config"', false],
      ['become', true],
    ])('a setting by %s (local: %s) is not visible to others', async (set, local) => {
      const who = "coalesce(current_setting('sluice.who', true), '')";
      const setting = `SELECT ${who}, ${set}('sluice.who', 'caller ' || @N, ${local}), ${transaction}`;
      const reading = `SELECT ${who}, @N, ${transaction}`;
      const calls = numbers(most).map((n) => ({ n, sets: n % 4 !== 2 }));
      const expected = { transactions: calls.map(({ n }) => n), backends: calls.map(() => 0) };
      await retryUntilEqual(expected, [setting, reading], async () => {
        const rows = await Promise.all(calls.map(({ n, sets }) => run(sets ? setting : reading, n)));
        expect(rows.map((row) => row?.slice(0, 2))).toEqual(
          calls.map(({ n, sets }) => ['""', sets ? `"caller ${n}"` : String(n)]),
        );
        const met = rows.map((row) => row?.[2]);
        return { transactions: groups(met), backends: groups(met.map(backendOf)) };
      });
      const later = await Promise.all(numbers(3 * most).map((n) => run(reading, n)));
      expect(new Set(later.map((row) => row?.[0]))).toEqual(new Set(['""']));
    });

    const readOnly = /in a read-only transaction/;
    test.each([
      [
        'fail',
        "CASE WHEN @N = 0 THEN 1 / @N WHEN @N < 0 THEN (@N || 'x')::int ELSE @N END",
        [
          [0, /division by zero/],
          [-3, /"-3x"/],
          [-4, /"-4x"/],
          [0, /division by zero/],
        ],
      ],
      [
        'write',
        'CASE WHEN @N < 0 THEN sneak(@N) ELSE @N END',
        [
          [-1, readOnly],
          [-2, readOnly],
        ],
      ],
      ['write while they are planned', 'CASE WHEN @N < 0 THEN liar(@N) ELSE @N END', [[-1, /INSERT is not allowed/]]],
      ['count on', "CASE WHEN @N < 0 THEN nextval('numbers') ELSE @N END", [[-1, readOnly]]],
    ] as const)('those that %s are refused without affecting the others', async (_what, expression, broken) => {
      const sql = `SELECT ${expression}, current_setting('transaction_read_only'), ${transaction}`;
      const good = numbers(8, 1);
      const others = numbers(3);
      const runAll = async () => {
        const [mine, theirs] = await Promise.all([
          Promise.all(good.map((n) => run(sql, n))),
          Promise.all(others.map((n) => run(second.sql, n))),
        ]);
        expect(mine.map((row) => row?.slice(0, 2))).toEqual(good.map((n) => [String(n), '"on"']));
        expect(theirs.map((row) => row?.slice(0, 2))).toEqual(others.flatMap(second.rows));
        return groups([...mine, ...theirs].map((row) => backendOf(row?.[2])));
      };
      const together = [...good, ...others].map(() => 0);
      await retryUntilEqual(together, [sql, second.sql], runAll);

      const refuse = async ([n, message]: readonly [number, RegExp]) =>
        expect((await rejection(run(sql, n))).message).toMatch(message);
      const [leading, ...following] = broken; // all join in the same turn of the event loop
      await Promise.all([refuse(leading), runAll(), ...following.map(refuse)]);
      expect((await database.admin.query('SELECT number FROM log')).rows).toEqual([]);
      expect((await database.admin.query('SELECT is_called FROM numbers')).rows).toEqual([{ is_called: false }]);
      await retryUntilEqual(together, [sql, second.sql], runAll); // and again
    });
  });
});
