import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ConnectorError, type ConnectorErrorKind } from '../../src/connectors/connector.ts';
import type { BoundValue } from '../../src/core/sql-value.ts';
import { ByteWriter } from '../../src/results/byte-writer.ts';
import type { RowStream } from '../../src/results/row-stream.ts';

export const createSignal = (): AbortSignal => new AbortController().signal;

export const number = (name: string, value: string | null): BoundValue => ({
  name,
  type: { name: 'integer', bits: 32, unsigned: false },
  value,
});

export async function jsonRows(rows: RowStream): Promise<string[][]> {
  const out = new ByteWriter();
  const all: string[][] = [];
  for await (const batch of rows.batches()) {
    for (let row = 0; row < batch.length; row++) {
      all.push(
        rows.columns.map((_, column) => {
          batch.writeJson(row, column, out);
          return out.take().toString();
        }),
      );
    }
  }
  return all;
}

export async function drain(rows: Promise<RowStream>): Promise<void> {
  for await (const batch of (await rows).batches()) expect(batch.length).toBeGreaterThan(0);
}

export async function rejection(promise: Promise<unknown>): Promise<ConnectorError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof ConnectorError) return outcome;
  throw new Error(`A ConnectorError was expected, not ${String(outcome)}`);
}

/** Aborts after a delay and waits until the promise is rejected; the statement would run for longer than a test may. */
export async function endsAs(
  kind: ConnectorErrorKind,
  start: (signal: AbortSignal) => Promise<unknown>,
  afterMs: number,
): Promise<void> {
  const abort = new AbortController();
  const rejected = rejection(start(abort.signal));
  await sleep(afterMs);
  abort.abort();
  expect((await rejected).kind).toBe(kind);
}
