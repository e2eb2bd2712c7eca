import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connector, ConnectorError, type Statement } from '../../src/connectors/connector.ts';
import type { ColumnKind } from '../../src/core/column.ts';
import type { SqlType, SqlValue } from '../../src/core/sql-value.ts';
import { ByteWriter } from '../../src/results/byte-writer.ts';
import { drain, endsAs, jsonRows, createSignal, number, rejection } from './connector-steps.ts';
import { epilogueContract, noEpilogueContract } from './epilogue-contract.ts';

/** What the suite needs to know about an engine. */
export interface ConnectorFixture {
  /** The pool size of the connectors that `open` returns. */
  readonly connections: number;
  /** Whether the engine has transactions for an Epilogue; default true. Without them it is refused. */
  readonly transactions?: boolean;
  /** Whether the steps with results of up to a million rows run: on one engine that streams and one that is embedded. Default false. */
  readonly volume?: boolean;
  /** Whether the tested server supports parameters; default true. */
  readonly parameters?: boolean;
  open(options: { writable: boolean }): Promise<OpenedFixture>;
  readonly sql: {
    /** Rows (n, text) with n from 1 to `count`, in order. */
    series(count: number): string;
    /** Runs for minutes before its first row. */
    readonly slow: string;
    /** Returns rows immediately, and for minutes. */
    readonly endless: string;
    /** Rows starting at 1; a conversion fails at row `row`. */
    failingAt(row: number): string;
    /** The error of the engine when it has no failing conversions. */
    readonly failure?: RegExp;
    /** A result without rows. */
    readonly empty: { readonly sql: string; readonly columns: readonly string[] };
    /** Uses a name twice and tests a NULL: `@Number` and `@Missing`, one row (n, n, true). */
    readonly twice: string;
    readonly invalid: readonly {
      readonly sql: string;
      readonly message: RegExp;
      readonly line?: number;
      readonly column?: number;
    }[];
    /** Several statements, or not a SELECT. */
    readonly refused: readonly string[];
    /** Adds a row (`@Number`) to a table and counts its rows. */
    readonly epilogue: { readonly add: string; readonly broken: string; readonly count: string };
  };
  /** One row of cells, at least one for every kind of the engine. */
  readonly cells: readonly ExpectedCell[];
  /** Values of `SELECT @Value` and the expected cells. */
  readonly echoes: readonly { readonly type: SqlType; readonly value: string | null; readonly json: string }[];
  echo(type: SqlType): string;
  readonly table: { readonly schema: string; readonly name: string; readonly columns: readonly string[]; readonly view: string };
  /** Attempts to write, read files or change the engine; each must fail or have no effect. */
  readonly escapes: readonly string[];
}

export interface OpenedFixture {
  readonly connector: Connector;
  /** A fingerprint of everything that an escape could change. */
  canary(): Promise<string>;
  close(): Promise<void>;
}

export interface ExpectedCell {
  readonly sql: string;
  readonly kind: ColumnKind;
  readonly json: string;
  readonly text: string;
  readonly value: SqlValue;
}

export function connectorContract(name: string, fixture: ConnectorFixture): void {
  describe(`the connector contract on ${name}`, () => {
    const { sql, volume = false } = fixture;
    let opened: OpenedFixture;
    let connector: Connector;

    beforeAll(async () => {
      opened = await fixture.open({ writable: false });
      connector = opened.connector;
    });
    afterAll(() => opened.close());

    const run = (statement: Partial<Statement> & { sql: string }, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
      connector.run(
        { parameters: [], ...statement },
        { timeoutMs: options.timeoutMs ?? 60_000 },
        options.signal ?? createSignal(),
      );
    const responses = async () => expect(await jsonRows(await run({ sql: sql.series(3) }))).toHaveLength(3);

    describe('rows', () => {
      test('columns are known before the rows, and without rows', async () => {
        const rows = await run({ sql: sql.empty.sql });
        expect(rows.columns.map((column) => column.name)).toEqual(sql.empty.columns);
        expect(await jsonRows(rows)).toEqual([]);
      });

      test('batches arrive in order up to the last row', async () => {
        const rowCount = volume ? 100_000 : 10_000;
        const values: SqlValue[] = [];
        for await (const batch of (await run({ sql: sql.series(rowCount) })).batches()) {
          for (let row = 0; row < batch.length; row++) values.push(batch.value(row, 0));
        }
        expect(values).toHaveLength(rowCount);
        expect(values.findIndex((value, index) => value !== index + 1)).toBe(-1); // an `expect` per row would take seconds
      });

      test.each(fixture.cells)('$sql is lossless', async (cell) => {
        const rows = await run({ sql: `SELECT ${cell.sql} AS cell` });
        expect(rows.columns).toMatchObject([{ name: 'cell', kind: cell.kind }]);
        const out = new ByteWriter(1);
        for await (const batch of rows.batches()) {
          batch.writeJson(0, 0, out);
          expect(out.take().toString()).toBe(cell.json);
          batch.writeText(0, 0, out);
          expect(out.take().toString()).toBe(cell.text);
          expect(batch.value(0, 0)).toEqual(cell.value);
        }
      });

      test.each(volume ? [1, 2048, 2049, 122_881, 500_000, 999_999] : [1, 2049, 10_000])(
        'reports a failure at row %d instead of an early end',
        async (failing) => {
          let seen = 0;
          const read = async () => {
            for await (const batch of (await run({ sql: sql.failingAt(failing) })).batches()) seen += batch.length;
          };
          const error = await rejection(read());
          expect(error.kind).toBe('failed');
          expect(error.message).toMatch(sql.failure ?? /[Cc]onver|cast|invalid/);
          expect(seen).toBeLessThan(failing);
          await responses();
        },
      );

      test('a stream cancelled at any moment is complete or fails', async () => {
        const rowCount = volume ? 200_000 : 50_000;
        const outcomes = new Set<string>();
        for (let i = 0; i < (volume ? 60 : 15); i++) {
          const abort = new AbortController();
          const timer = setTimeout(() => abort.abort(), (i % 15) * 3);
          let seen = 0;
          try {
            for await (const batch of (await run({ sql: sql.series(rowCount) }, { signal: abort.signal })).batches()) {
              seen += batch.length;
            }
            expect(seen).toBe(rowCount);
            outcomes.add('whole');
          } catch (error) {
            expect(error).toMatchObject({ name: 'ConnectorError', kind: 'cancelled' });
            outcomes.add('cancelled');
          }
          clearTimeout(timer);
        }
        expect(outcomes).toContain('cancelled');
        await responses();
      });
    });

    const parameterTests = () => {
      test.each(fixture.echoes)('$type.name $value is returned as $json', async ({ type, value, json }) => {
        const parameters = [{ name: '@Value', type, value }];
        expect(await jsonRows(await run({ sql: fixture.echo(type), parameters }))).toEqual([[json]]);
      });

      test.each(distinctTypes(fixture.echoes))('a NULL $name keeps the type of its column', async (type) => {
        const parameters = [{ name: '@Value', type, value: null }];
        const described = await connector.describe(fixture.echo(type), parameters, createSignal());
        const rows = await run({ sql: fixture.echo(type), parameters });
        expect(rows.columns).toEqual(described);
        expect(await jsonRows(rows)).toEqual([['null']]);
      });

      test('a parameter can be used twice', async () => {
        const rows = await run({ sql: sql.twice, parameters: [number('@Number', '7'), number('@Missing', null)] });
        expect(await jsonRows(rows)).toEqual([['7', '7', 'true']]);
      });

      test('a value is never interpreted as SQL', async () => {
        const hostile = `'; DROP TABLE x; -- " $1 @Value \\ \n \u0001 😀 שלום مرحبا ${'long '.repeat(20_000)}`;
        const parameters = [{ name: '@Value', type: { name: 'text' } as const, value: hostile }];
        const [row] = await jsonRows(await run({ sql: fixture.echo({ name: 'text' }), parameters }));
        expect(JSON.parse(row?.[0] ?? '')).toBe(hostile);
      });
    };
    if (fixture.parameters ?? true) describe('parameters', parameterTests);

    describe('describing', () => {
      test('returns the columns without running the query', async () => {
        const columns = await connector.describe(sql.endless, [], createSignal());
        expect(columns.length).toBeGreaterThan(0);
        expect(columns[0]).toMatchObject({ name: expect.any(String), type: expect.any(String), kind: 'integer' });
      });

      test.each(sql.invalid)('refuses $sql with its position', async ({ sql: text, message, line, column }) => {
        const parameters = [number('@Number', null)];
        for (const attempt of [
          () => connector.describe(text, parameters, createSignal()),
          () => run({ sql: text, parameters }),
        ]) {
          const error = await rejection(attempt());
          expect(error.kind).toBe('invalid');
          expect(error.message).toMatch(message);
          expect(error.message).not.toContain('\n');
          if (line !== undefined) expect(error.position).toEqual({ line, column });
        }
      });

      test.each(sql.refused)('refuses %s', async (text) => {
        expect((await rejection(connector.describe(text, [], createSignal()))).kind).toBe('invalid');
        expect((await rejection(run({ sql: text }))).kind).toBe('invalid');
      });
    });

    describe('ending', () => {
      test('an aborted signal runs nothing', async () => {
        expect((await rejection(run({ sql: sql.slow }, { signal: AbortSignal.abort() }))).kind).toBe('cancelled');
      });

      test('a signal cancels a query before its first row, and the connection remains usable', async () => {
        for (let i = 0; i < fixture.connections + 1; i++) {
          await endsAs('cancelled', (signal) => drain(run({ sql: sql.slow }, { signal })), 200);
        }
        await responses();
      });

      test('a signal cancels a query between rows', async () => {
        await endsAs('cancelled', (signal) => drain(run({ sql: sql.endless }, { signal })), 200);
        await responses();
      });

      test('a signal frees the connection of a paused reader', async () => {
        const abort = new AbortController();
        const streams = await Promise.all(
          Array.from({ length: fixture.connections }, () => run({ sql: sql.endless }, { signal: abort.signal })),
        );
        const iterators = streams.map((rows) => rows.batches()[Symbol.asyncIterator]());
        await Promise.all(iterators.map((iterator) => iterator.next()));
        await sleep(100);
        abort.abort();
        await responses();
        for (const iterator of iterators) expect((await rejection(iterator.next())).kind).toBe('cancelled');
      });

      test('a timeout cancels the query', async () => {
        expect((await rejection(drain(run({ sql: sql.slow }, { timeoutMs: 300 })))).kind).toBe('timeout');
        expect((await rejection(drain(run({ sql: sql.endless }, { timeoutMs: 300 })))).kind).toBe('timeout');
        await responses();
      });

      test('the timeout does not apply while the reader pauses', async () => {
        let seen = 0;
        for await (const batch of (await run({ sql: sql.series(20_000) }, { timeoutMs: 2000 })).batches()) {
          if (seen === 0) await sleep(2500);
          seen += batch.length;
        }
        expect(seen).toBe(20_000);
      });

      test('closing early cancels the query, and closing twice is allowed', async () => {
        for (let i = 0; i < fixture.connections * 2; i++) {
          const left = await run({ sql: sql.endless });
          for await (const batch of left.batches()) {
            expect(batch.length).toBeGreaterThan(0);
            break;
          }
          await left.close();
          const unread = await run({ sql: sql.endless });
          await unread.close();
          await unread.close();
        }
        await responses();
      });

      test('fifty parallel runs, more than connections, all finish', async () => {
        const runs = Array.from({ length: Math.max(50, fixture.connections * 3) }, async (_, i) => {
          const rows = await jsonRows(await run({ sql: sql.series(1000 + i) }));
          return rows.length - i;
        });
        expect(new Set(await Promise.all(runs))).toEqual(new Set([1000]));
      });

      test('waiting for a connection can be cancelled and can time out', async () => {
        const holders = await Promise.all(Array.from({ length: fixture.connections }, () => run({ sql: sql.endless })));
        await endsAs('cancelled', (signal) => run({ sql: sql.series(1) }, { signal }), 100);
        expect((await rejection(run({ sql: sql.series(1) }, { timeoutMs: 100 }))).kind).toBe('timeout');
        await Promise.all(holders.map((rows) => rows.close()));
        await responses();
      });
    });

    test.each(fixture.escapes)('%s changes nothing', async (text) => {
      const before = await opened.canary();
      await drain(run({ sql: text }, { timeoutMs: 5000 })).catch((error: unknown) =>
        expect(error).toBeInstanceOf(ConnectorError),
      );
      expect(await opened.canary()).toBe(before);
      await responses();
    });

    test('the schema lists tables and views with their columns', async () => {
      const { tables, truncated } = await connector.schema(createSignal());
      expect(truncated).toBe(false);
      const table = tables.find((found) => found.schema === fixture.table.schema && found.name === fixture.table.name);
      expect(table?.type).toBe('table');
      expect(table?.columns.map((column) => column.name)).toEqual(fixture.table.columns);
      expect(tables.find((found) => found.name === fixture.table.view)?.type).toBe('view');
    });

    test('a read-only database has no warnings', async () => {
      expect(await connector.ping(createSignal())).toEqual([]);
    });

    test('an Epilogue is refused on a read-only database', async () => {
      const statement = { sql: sql.series(1), epilogue: sql.epilogue.add, parameters: [number('@Number', '1')] };
      expect((await rejection(run(statement))).kind).toBe('invalid');
      const checked = connector.checkEpilogue(statement.epilogue, statement.parameters, createSignal());
      expect((await rejection(checked)).kind).toBe('invalid');
    });

    if (fixture.transactions ?? true) epilogueContract(fixture);
    else noEpilogueContract(fixture);
    closingContract(fixture);
  });
}

function closingContract(fixture: ConnectorFixture): void {
  test('closing ends running queries, and later ones are refused', async () => {
    const { connector, close } = await fixture.open({ writable: false });
    const statement = { sql: fixture.sql.slow, parameters: [] };
    const running = rejection(drain(connector.run(statement, { timeoutMs: 60_000 }, createSignal())));
    const paused = await connector.run({ sql: fixture.sql.endless, parameters: [] }, { timeoutMs: 60_000 }, createSignal());
    await sleep(100);
    await connector.close();
    expect((await running).kind).toBe('unavailable');
    expect((await rejection(drain(Promise.resolve(paused)))).kind).toBe('unavailable');
    expect((await rejection(connector.run(statement, { timeoutMs: 1000 }, createSignal()))).kind).toBe('unavailable');
    await close();
  });
}

const distinctTypes = (echoes: ConnectorFixture['echoes']): SqlType[] => [
  ...new Map(echoes.map(({ type }) => [JSON.stringify(type), type])).values(),
];
