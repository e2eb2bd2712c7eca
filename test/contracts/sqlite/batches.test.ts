import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { jsonRows, createSignal, number, rejection } from '../connector-steps.ts';
import { connections, openCopy, processIds, series } from './fixture.ts';

/** Parallel runs of statements known to be quick share a process, with no other visible effect. */
describe('quick statements of SQLite', () => {
  let connector: Connector;
  let file: string;
  let others: readonly number[];
  beforeEach(async () => {
    others = await processIds();
    ({ connector, file } = await openCopy({ writable: false }));
  });
  afterEach(() => connector.close());

  const all = async (sql: string, value: number | null, signal = createSignal()) => {
    const parameters = [number('@N', value === null ? null : String(value))];
    return jsonRows(await connector.run({ sql, parameters }, { timeoutMs: 15_000 }, signal));
  };
  const run = async (sql: string, value: number | null, signal = createSignal()) => (await all(sql, value, signal))[0];
  /** Runs it until it is known as quick: a slow run, as on a busy machine, restarts the count. */
  const warm = async (sql: string, value = 1) => {
    for (let round = 0, quickRounds = 0; round < 6 || quickRounds < 6; round++) {
      const startedAt = performance.now();
      await run(sql, value);
      quickRounds = performance.now() - startedAt < 5 ? quickRounds + 1 : 0;
    }
  };
  const started = async () => (await processIds()).filter((id) => !others.includes(id));
  const responses = (values: readonly number[]) => values.map((value) => [String(value)]);
  const few = [1, 2, 3, 4, 5, 6, 7];
  const counting = 'WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < @N) SELECT max(n) FROM s';
  const endless = 2_000_000_000;

  // on a busy machine a late batch is abandoned
  test('share a process, and each gets its own rows', { retry: 3 }, async () => {
    const sql = "SELECT @N, 'text ' || @N";
    await warm(sql);
    const many = Array.from({ length: 16 }, (_, index) => index);
    expect(await Promise.all(many.map((value) => run(sql, value)))).toEqual(many.map((n) => [`${n}`, `"text ${n}"`]));
    expect(await started()).toHaveLength(1);
  });

  test('are not batched until they have been quick several times', async () => {
    expect(await Promise.all(few.map((value) => run('SELECT @N', value)))).toEqual(responses(few));
    expect(await started()).toHaveLength(connections);
  });

  test('several of them share a batch, some without rows', async () => {
    const statements = [
      'SELECT @N',
      'SELECT @N, name FROM items WHERE id = @N',
      'SELECT id FROM items WHERE id > @N ORDER BY id',
    ];
    for (const sql of statements) await warm(sql);
    for (let round = 0; round < 20; round++) {
      const found = await Promise.all(statements.flatMap((sql) => [0, 1, 2].map((value) => all(sql, value))));
      expect(found).toEqual([[['0']], [['1']], [['2']], [], [['1', '"one"']], [['2', '"two"']], [['1'], ['2']], [['2']], []]);
    }
  });

  test('one that fails does not fail the others', async () => {
    const sql = "SELECT iif(@N = 0, json('bad'), @N)";
    await warm(sql);
    const failing = rejection(run(sql, 0));
    expect(await Promise.all(few.map((value) => run(sql, value)))).toEqual(responses(few));
    expect(await failing).toMatchObject({ kind: 'failed', message: expect.stringContaining('malformed JSON') });
    expect(await run(sql, 3)).toEqual(['3']);
  });

  test('one that has become slow does not delay the others, and can be cancelled', async () => {
    await warm(counting);
    const leaving = new AbortController();
    const left = rejection(run(counting, endless, leaving.signal));
    expect(await Promise.all(few.map((value) => run(counting, value)))).toEqual(responses(few));
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    expect(await run(counting, 3)).toEqual(['3']);
  });

  test('one that has become slow ends at its timeout', async () => {
    await warm(counting);
    const parameters = [number('@N', String(endless))];
    const slow = rejection(connector.run({ sql: counting, parameters }, { timeoutMs: 500 }, createSignal()));
    expect(await run(counting, 5)).toEqual(['5']);
    expect((await slow).kind).toBe('timeout');
  });

  test('one that has become large is returned completely, like the others', async () => {
    const sql = `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < @N) SELECT n, printf('%0100d', n) FROM s`;
    await warm(sql);
    const large = all(sql, 100_000);
    const small = await Promise.all(few.map((value) => all(sql, value)));
    expect(small.map((rows) => rows.length)).toEqual(few);
    expect((await large).map(([n]) => Number(n))).toEqual(Array.from({ length: 100_000 }, (_, index) => index + 1));
  });

  test('a cancelled run fails, the others succeed', async () => {
    await warm('SELECT @N');
    const leaving = new AbortController();
    const left = rejection(run('SELECT @N', 9, leaving.signal));
    const remaining = Promise.all(few.map((value) => run('SELECT @N', value)));
    leaving.abort();
    expect((await left).kind).toBe('cancelled');
    expect(await remaining).toEqual(responses(few));
  });

  // on a busy machine a run that is not batched may wait for a stopped process until its timeout
  test.each(['SIGKILL', 'SIGSTOP'] as const)('succeed in other processes when theirs gets a %s', { retry: 3 }, async (signal) => {
    await warm('SELECT @N');
    for (const id of await started()) process.kill(id, signal);
    expect(await Promise.all(few.map((value) => run('SELECT @N', value)))).toEqual(responses(few));
  });

  test('closing the connector ends them', async () => {
    await warm(counting);
    const ended = rejection(run(counting, endless));
    await sleep(20);
    await connector.close();
    expect((await ended).kind).toBe('unavailable');
    await expect.poll(started).toEqual([]);
  });

  test('wait while the file is locked', async () => {
    const sql = 'SELECT id FROM items WHERE id = @N';
    await warm(sql);
    const writer = new DatabaseSync(file);
    writer.exec('BEGIN EXCLUSIVE');
    const waiting = Promise.all([1, 2].map((value) => run(sql, value)));
    await sleep(400);
    writer.exec('INSERT INTO items VALUES (3, $$x$$, NULL); COMMIT'.replaceAll('$$', "'"));
    writer.close();
    expect(await waiting).toEqual(responses([1, 2]));
    expect(await run(sql, 3)).toEqual(['3']);
  });

  test('a changed table is read as it is now', async () => {
    const sql = 'SELECT * FROM items WHERE id = @N';
    await warm(sql);
    const writer = new DatabaseSync(file);
    writer.exec("ALTER TABLE items ADD COLUMN more TEXT DEFAULT 'x'");
    expect(await Promise.all([1, 2].map((value) => run(sql, value)))).toEqual([
      ['1', '"one"', 'null', '"x"'],
      ['2', '"two"', '"second"', '"x"'],
    ]);
    writer.exec('DROP TABLE items');
    expect((await rejection(run(sql, 1))).kind).toBe('invalid');
    writer.exec('CREATE TABLE items AS SELECT 5 AS id');
    writer.close();
    expect(await Promise.all([5, 6].map((value) => run(sql, value)))).toEqual([['5'], undefined]);
  });

  test('keep no values for the next caller, and only some statements', async () => {
    const sql = 'SELECT @N, last_insert_rowid(), changes()';
    await warm(sql, 7);
    expect(await Promise.all([null, 8, null].map((value) => run(sql, value)))).toEqual(
      ['null', '8', 'null'].map((value) => [value, '0', '0']),
    );
    for (let other = 0; other < 150; other++) expect(await run(`SELECT @N + ${other}`, 1)).toEqual([String(1 + other)]);
    expect(await run(sql, null)).toEqual(['null', '0', '0']);
  });

  test('read only', async () => {
    const sql = 'SELECT count(*) + @N FROM log';
    await warm(sql);
    const refused = rejection(run('DELETE FROM log WHERE number = @N', 1));
    expect(await run(sql, 1)).toEqual(['1']);
    expect((await refused).kind).toBe('invalid');
    expect(await all(series(3, 'n + @N'), 1)).toEqual([['2'], ['3'], ['4']]);
  });
});
