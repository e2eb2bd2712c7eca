import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConnectorError } from '../../src/connectors/connector.ts';
import type { ConnectorFixture, OpenedFixture } from './connector-contract.ts';
import { drain, endsAs, jsonRows, createSignal, number, rejection } from './connector-steps.ts';

/** The part of the connector contract about writing. */
export function epilogueContract(fixture: ConnectorFixture): void {
  describe('an Epilogue on a writable database', () => {
    const { series, endless, failingAt, epilogue } = fixture.sql;
    let opened: OpenedFixture;
    beforeAll(async () => {
      opened = await fixture.open({ writable: true });
    });
    afterAll(() => opened.close());

    const run = (statement: { sql: string; epilogue?: string }, signal = createSignal()) =>
      opened.connector.run({ ...statement, parameters: [number('@Number', '41')] }, { timeoutMs: 60_000 }, signal);
    const count = async () => Number((await jsonRows(await run({ sql: epilogue.count })))[0]?.[0]);

    test('is committed when the rows end', async () => {
      const before = await count();
      const rows = await run({ sql: series(5000), epilogue: epilogue.add });
      for await (const _ of rows.batches()) expect(await count()).toBe(before);
      expect(await count()).toBe(before + 1);
    });

    test('is rolled back when the rows, the Epilogue or the reader fail', async () => {
      const before = await count();
      expect((await rejection(drain(run({ sql: failingAt(100_000), epilogue: epilogue.add })))).kind).toBe('failed');
      expect((await rejection(drain(run({ sql: series(10), epilogue: epilogue.broken })))).kind).toBe('failed');
      const left = await run({ sql: series(100_000), epilogue: epilogue.add });
      for await (const _ of left.batches()) break;
      await left.close();
      await endsAs('cancelled', (signal) => drain(run({ sql: endless, epilogue: epilogue.add }, signal)), 100);
      expect(await count()).toBe(before);
    });

    test('must be one statement that changes rows', async () => {
      const before = await count();
      for (const text of [`${epilogue.add}; ${epilogue.add}`, series(1), 'COMMIT', '']) {
        const rejected = await rejection(drain(run({ sql: series(1), epilogue: text })));
        expect(rejected.kind).toBe('invalid');
      }
      await drain(run({ sql: series(1), epilogue: epilogue.add }));
      expect((await rejection(drain(run({ sql: epilogue.add })))).kind).toBe('invalid');
      expect(await count()).toBe(before + 1);
    });

    test('is checked without running it, and errors have a position', async () => {
      const check = (text: string, signal = createSignal()) =>
        opened.connector.checkEpilogue(text, [number('@Number', null)], signal);
      const before = await count();
      await check(epilogue.add);
      await check(epilogue.broken); // found only when it runs
      for (const text of ['INSERT INTO nope VALUES (@Number)', 'DELETE FROM log\nWHERE nope = @Number']) {
        const refused = await rejection(check(text));
        expect(refused).toMatchObject({ kind: 'invalid', message: expect.stringContaining('nope') });
        if (text.includes('\n')) expect(refused.position).toEqual({ line: 2, column: 7 });
      }
      for (const text of [`${epilogue.add}; ${epilogue.add}`, series(1), 'COMMIT', '']) {
        expect((await rejection(check(text))).kind, text).toBe('invalid');
      }
      expect((await rejection(check(epilogue.add, AbortSignal.abort()))).kind).toBe('cancelled');
      expect(await count()).toBe(before);
    });

    test('is required for writing: without one the transaction is read-only', async () => {
      const before = await opened.canary();
      for (const text of fixture.escapes) {
        await drain(run({ sql: text })).catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));
      }
      expect(await opened.canary()).toBe(before);
    });

    test('causes a warning in the connection test', async () => {
      expect(await opened.connector.ping(createSignal())).not.toEqual([]);
    });
  });
}

/** The contract of engines without transactions. */
export function noEpilogueContract(fixture: ConnectorFixture): void {
  test('an Epilogue is refused on a writable database without writing, and the connection test says so', async () => {
    const { series, epilogue } = fixture.sql;
    const opened = await fixture.open({ writable: true });
    const before = await opened.canary();
    const statement = { sql: series(1), epilogue: epilogue.add, parameters: [number('@Number', '41')] };
    expect((await rejection(drain(opened.connector.run(statement, { timeoutMs: 60_000 }, createSignal())))).kind).toBe('invalid');
    const checked = await rejection(opened.connector.checkEpilogue(epilogue.add, statement.parameters, createSignal()));
    expect(checked).toMatchObject({ kind: 'invalid', message: expect.stringContaining('no transactions') });
    for (const sql of fixture.escapes) {
      const run = drain(opened.connector.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, createSignal()));
      await run.catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));
    }
    expect(await opened.canary()).toBe(before);
    expect(await opened.connector.ping(createSignal())).not.toEqual([]);
    await opened.close();
  });
}
