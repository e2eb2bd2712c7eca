import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connector, ConnectorError, type Statement } from '../../../src/connectors/connector.ts';
import { drain, jsonRows, createSignal, rejection } from '../connector-steps.ts';

/** What the suite needs to know about an engine whose connections have sessions. */
export interface SessionFixture {
  /** A writable connector with one connection, so that all runs use the same session. */
  open(): Promise<Connector>;
  /** The names of the session state that can remain: a setting, a role, a lock. */
  readonly traces: readonly string[];
  /** Statements that leave a trace. The engine may refuse one that only reads. */
  readonly select: {
    /** One row. */
    whole(trace: string): string;
    /** Fails after it has left the trace. */
    failing(trace: string): string;
    /** Leaves the trace, then runs for minutes without a row. */
    slow(trace: string): string;
    /** Leaves the trace with its first rows, then returns rows for minutes. */
    endless(trace: string): string;
  };
  readonly epilogue: {
    whole(trace: string): string;
    failing(trace: string): string;
    /** Changes a table whose trigger leaves the trace; undefined without triggers. */
    readonly trigger?: (trace: string) => string;
  };
  /** Queries that show the session state: settings, role, tables, locks. */
  readonly probes: readonly string[];
}

/** A connection is reset when it returns to the pool: the next caller sees the defaults. */
export function sessionContract(name: string, fixture: SessionFixture): void {
  describe(`a pooled session on ${name} keeps nothing`, () => {
    const { select, epilogue, traces } = fixture;
    let connector: Connector;
    let fresh: readonly string[][][];
    beforeEach(async () => {
      connector = await fixture.open();
      fresh = await seen();
    });
    afterEach(() => connector.close());

    const run = (statement: Omit<Statement, 'parameters'>, signal = createSignal(), timeoutMs = 60_000) =>
      connector.run({ ...statement, parameters: [] }, { timeoutMs }, signal);
    const seen = async () => {
      const found: string[][][] = [];
      for (const sql of fixture.probes) found.push(await jsonRows(await run({ sql })));
      return found;
    };
    const nothingIsLeft = async () => expect(await seen()).toEqual(fresh);
    /** Some engines refuse to leave such a trace in a read-only statement. */
    const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));

    test.each(traces)('of an Epilogue: %s', async (trace) => {
      await drain(run({ sql: fixture.probes[0] ?? '', epilogue: epilogue.whole(trace) }));
      await nothingIsLeft();
    });

    const { trigger } = epilogue;
    if (trigger !== undefined) {
      test.each(traces)('of a trigger: %s', async (trace) => {
        await drain(run({ sql: fixture.probes[0] ?? '', epilogue: trigger(trace) }));
        await nothingIsLeft();
      });
    }

    test.each(traces)('of an Epilogue that fails: %s', async (trace) => {
      const failed = await rejection(drain(run({ sql: fixture.probes[0] ?? '', epilogue: epilogue.failing(trace) })));
      expect(failed.kind).toBe('failed');
      await nothingIsLeft();
    });

    test.each(traces)('of a query: %s', async (trace) => {
      await attempt(drain(run({ sql: select.whole(trace) })));
      await nothingIsLeft();
      await attempt(connector.describe(select.whole(trace), [], createSignal()));
      await nothingIsLeft();
    });

    test.each(traces)('of the query before an Epilogue: %s', async (trace) => {
      await attempt(drain(run({ sql: select.whole(trace), epilogue: epilogue.whole(trace) })));
      await nothingIsLeft();
    });

    test.each(traces)('of a query that fails: %s', async (trace) => {
      await rejection(drain(run({ sql: select.failing(trace) })));
      await nothingIsLeft();
    });

    test.each(traces)('of a query that times out: %s', async (trace) => {
      await rejection(drain(run({ sql: select.slow(trace) }, createSignal(), 100)));
      await nothingIsLeft();
    });

    test.each(traces)('of a query that is cancelled, and of one that is not read to its end: %s', async (trace) => {
      const abort = new AbortController();
      const cancelRun = async () => {
        for await (const _ of (await run({ sql: select.endless(trace) }, abort.signal)).batches()) abort.abort();
      };
      await rejection(cancelRun());
      await expect.poll(seen).toEqual(fresh); // the server may still be ending the connection, with its locks
      const left = async () => {
        for await (const _ of (await run({ sql: select.endless(trace) })).batches()) break;
      };
      await attempt(left());
      await nothingIsLeft();
    });
  });
}
