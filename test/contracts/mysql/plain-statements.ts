import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createSignal, drain, endsAs, jsonRows, number, rejection } from '../connector-steps.ts';
import type { MysqlTestServer } from './fixture.ts';

/** Statements after which a session is not reset at once, and the state that they could leave for the next run. */
export function mysqlPlainStatements(prepared: MysqlTestServer): void {
  describe('MariaDB, plain statements in quick succession', () => {
    const { server, reader } = prepared;
    let connector: Connector; // with one connection, so that the next run would see what one leaves
    beforeAll(async () => {
      await server.execute(
        'USE shop',
        `CREATE FUNCTION disturb() RETURNS int BEGIN SET SESSION div_precision_increment = 0, sql_mode = 'PIPES_AS_CONCAT',
          time_zone = '+03:00', tx_isolation = 'SERIALIZABLE', group_concat_max_len = 4; SET @left = 1; RETURN 1; END`,
        'CREATE VIEW disturbing AS SELECT id, disturb() AS n FROM items',
      );
      connector = await prepared.open(reader, { connections: 1 });
    });
    afterAll(async () => {
      await connector.close();
      await server.execute('USE shop', 'DROP VIEW disturbing', 'DROP FUNCTION disturb');
    });
    const run = (sql: string, signal = createSignal()) => connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);
    const rows = async (sql: string) => jsonRows(await run(sql));
    const item = (id: number) =>
      connector.run(
        { sql: 'SELECT id, name FROM items WHERE id = @Id', parameters: [number('@Id', String(id))] },
        { timeoutMs: 60_000 },
        createSignal(),
      );
    /** Plain as well, with a result that settings of the session change. */
    const sensitive = 'SELECT 1 / 3, GROUP_CONCAT(name ORDER BY id) FROM items';
    const undisturbed = [['0.3333', '"one,two"']];
    const preparations = async () => Number((await server.execute("SHOW GLOBAL STATUS LIKE 'Com_stmt_prepare'"))[0]?.Value);
    // from the second run on, the session is busy
    beforeEach(async () => {
      for (let i = 0; i < 2; i++) await drain(item(1));
    });

    test('are prepared once', async () => {
      const before = await preparations();
      for (let i = 0; i < 40; i++)
        expect(await jsonRows(await item(1 + (i % 2)))).toEqual([i % 2 === 0 ? ['1', '"one"'] : ['2', '"two"']]);
      expect((await preparations()) - before).toBeLessThan(12); // four times a second
    });

    test('see no snapshot of an earlier one, and keep no lock', async () => {
      await server.execute('CREATE TABLE shop.growing (n int)');
      for (let i = 0; i < 3; i++) expect(await rows('SELECT * FROM growing')).toEqual([]);
      await server.execute('INSERT INTO shop.growing VALUES (1)');
      expect(await rows('SELECT * FROM growing')).toEqual([['1']]);
      await server.execute('SET SESSION lock_wait_timeout = 1', 'ALTER TABLE shop.growing ADD COLUMN more int');
      expect(await rows('SELECT * FROM growing')).toEqual([['1', 'null']]);
      await server.execute('SET SESSION lock_wait_timeout = 1', 'DROP TABLE shop.growing');
      expect((await rejection(run('SELECT * FROM growing'))).kind).toBe('invalid');
    });

    test('read a column as it is when its type changes', async () => {
      await server.execute('CREATE TABLE shop.changing (v int)', 'INSERT INTO shop.changing VALUES (-1)');
      for (const [change, type, cell] of [
        ['MODIFY v bigint', 'bigint', '-1'],
        ['MODIFY v decimal(8,2)', 'decimal(8,2)', '-1.00'],
        ['MODIFY v varchar(20)', 'varchar', '"-1.00"'],
        ['MODIFY v text CHARACTER SET latin1', 'text', '"-1.00"'],
        ['MODIFY v blob', 'blob', '"LTEuMDA="'],
        ['DROP v, ADD v tinyint unsigned DEFAULT 200', 'tinyint unsigned', '200'],
      ] as const) {
        for (let i = 0; i < 2; i++) await drain(run('SELECT v FROM changing'));
        await server.execute('SET SESSION lock_wait_timeout = 1', `ALTER TABLE shop.changing ${change}`);
        for (let i = 0; i < 2; i++) {
          const stream = await run('SELECT v FROM changing');
          expect(stream.columns).toEqual([expect.objectContaining({ name: 'v', type })]);
          expect(await jsonRows(stream)).toEqual([[cell]]);
        }
      }
      await server.execute('SET SESSION lock_wait_timeout = 1', 'DROP TABLE shop.changing');
    });

    test('other statements do not see what they left', async () => {
      const probe = 'SELECT FOUND_ROWS(), ROW_COUNT(), LAST_INSERT_ID(), @left, @@warning_count';
      const fresh = [['1', '0', '0', 'null', '0']]; // as on a new connection
      for (let i = 0; i < 3; i++) {
        for (let each = 0; each < 3; each++) await drain(run('SELECT id FROM items'));
        expect(await rows(probe)).toEqual(fresh);
        await drain(run('SELECT id FROM items'));
        await drain(run("SELECT id + 'x' FROM items")); // with warnings
        expect(await rows(probe)).toEqual(fresh);
      }
    });

    test.each(['SELECT disturb()', 'SELECT * FROM disturbing', 'SELECT id FROM shop.disturbing WHERE n = 1'])(
      'see nothing of %s',
      async (disturbing) => {
        for (let i = 0; i < 3; i++) {
          expect(await rows(sensitive)).toEqual(undisturbed);
          await drain(run(disturbing));
          expect(await rows(sensitive)).toEqual(undisturbed);
          await drain(run(`${disturbing} -- again`));
        }
        expect(await rows('SELECT @@div_precision_increment, @@time_zone, @@tx_isolation, @left')).toEqual([
          ['4', '"+00:00"', '"REPEATABLE-READ"', 'null'],
        ]);
      },
    );

    test('a table that becomes a view cannot write and leaves nothing', async () => {
      await server.execute('CREATE TABLE shop.turns AS SELECT 1 AS id');
      for (let i = 0; i < 3; i++) expect(await rows('SELECT id FROM turns')).toEqual([['1']]);
      await server.execute('USE shop', 'DROP TABLE turns', 'CREATE VIEW turns AS SELECT sneak(1) AS id');
      expect((await rejection(drain(run('SELECT id FROM turns')))).kind).toBe('invalid');
      await server.execute('USE shop', 'CREATE OR REPLACE VIEW turns AS SELECT disturb() AS id');
      for (let i = 0; i < 3; i++) {
        expect(await rows('SELECT id FROM turns')).toEqual([['1']]);
        expect(await rows(sensitive)).toEqual(undisturbed);
      }
      await server.execute('USE shop', 'DROP VIEW turns', 'CREATE TABLE turns AS SELECT 1 AS id');
      for (let i = 0; i < 3; i++) expect(await rows('SELECT id FROM turns')).toEqual([['1']]);
      await server.execute('USE shop', 'DROP TABLE turns', 'CREATE VIEW turns AS SELECT disturb() AS id');
      for (let i = 0; i < 3; i++) {
        expect(await rows('SELECT id FROM turns')).toEqual([['1']]);
        expect(await rows(sensitive)).toEqual(undisturbed);
      }
      await server.execute('DROP VIEW shop.turns');
    });

    test('a table that a view replaces while statements run without a pause leaves nothing', async () => {
      await server.execute(
        'USE shop',
        'CREATE TABLE turns AS SELECT 1 AS id',
        'CREATE VIEW viewed AS SELECT disturb() AS id',
        'SET SESSION lock_wait_timeout = 10',
      );
      let isOver = false;
      let runs = 0;
      const running = (async () => {
        for (; !isOver; runs++) {
          expect(await rows('SELECT id FROM turns')).toEqual([['1']]);
          expect(await rows(sensitive)).toEqual(undisturbed);
        }
      })();
      running.catch(() => {
        isOver = true;
      });
      for (let i = 0; i < 4; i++) {
        await server.execute('USE shop', 'RENAME TABLE turns TO kept, viewed TO turns');
        await server.execute('USE shop', 'RENAME TABLE turns TO viewed, kept TO turns');
        const before = runs;
        await waitUntil(
          async () => runs,
          (now) => now > before + 5 || isOver,
        );
      }
      isOver = true;
      await running;
      await server.execute('DROP VIEW shop.viewed', 'DROP TABLE shop.turns');
    });

    test('one that fails, is left early or is cancelled does not affect the next ones', async () => {
      for (let i = 0; i < 3; i++) {
        for (let each = 0; each < 3; each++) expect(await jsonRows(await item(2))).toEqual([['2', '"two"']]);
        expect((await rejection(drain(run('SELECT id + 9223372036854775807 FROM items')))).kind).toBe('failed');
        expect(await jsonRows(await item(1))).toEqual([['1', '"one"']]);
        for await (const batch of (await run('SELECT seq FROM seq_1_to_100000000')).batches()) {
          expect(batch.value(0, 0)).toBe(1);
          break;
        }
        expect(await jsonRows(await item(2))).toEqual([['2', '"two"']]);
        await endsAs(
          'cancelled',
          (signal) => drain(run('SELECT count(*) FROM seq_1_to_1000000000 a, seq_1_to_1000 b', signal)),
          50,
        );
        expect(await rows(sensitive)).toEqual(undisturbed);
      }
    });

    test('a connection that is killed between two of them is replaced', async () => {
      for (let i = 0; i < 3; i++) {
        const [connection] = await prepared.processes();
        await drain(item(1));
        await server.execute(`KILL CONNECTION ${connection?.id}`).catch(() => {});
        await sleep(50);
        expect(await jsonRows(await item(2))).toEqual([['2', '"two"']]);
      }
    });

    test('a question mark of the author is refused where the same text was prepared with a parameter', async () => {
      const text = { name: '@Text', type: { name: 'text' } as const, value: 'a' };
      for (let i = 0; i < 3; i++) {
        const found = await connector.run(
          { sql: 'SELECT id FROM items WHERE name = @Text', parameters: [text] },
          { timeoutMs: 60_000 },
          createSignal(),
        );
        expect(await jsonRows(found)).toEqual([]);
      }
      expect((await rejection(run('SELECT id FROM items WHERE name = ?'))).message).toMatch(/@Name/);
    });

    test('many at once, with failing and cancelled ones among them, each get their own rows', async () => {
      const own = await prepared.open(reader, { connections: 3 });
      const call = async (i: number): Promise<void> => {
        const parameters = [number('@N', String(i))];
        const go = (sql: string, signal = createSignal()) => own.run({ sql, parameters }, { timeoutMs: 60_000 }, signal);
        if (i % 17 === 0) await rejection(drain(go('SELECT @N + 9223372036854775807 FROM items')));
        else if (i % 23 === 0) await endsAs('cancelled', (signal) => drain(go('SELECT @N + SLEEP(100)', signal)), 20);
        else if (i % 5 === 0) expect(await jsonRows(await go('SELECT @N, disturb()'))).toEqual([[String(i), '1']]);
        else expect(await jsonRows(await go('SELECT @N, 1 / 3 FROM items WHERE id = 1'))).toEqual([[String(i), '0.3333']]);
      };
      await Promise.all(Array.from({ length: 400 }, (_, i) => call(i + 1)));
      await own.close();
    });
  });
}
