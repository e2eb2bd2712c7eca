import { expect, it } from 'vitest';
import type { ColumnKind } from '../../core/column.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { byteCellOf, textCellOf } from './cells.ts';
import { WireBatch } from './wire-batch.ts';

const usual: readonly (readonly [ColumnKind, string | null])[] = [
  ['integer', '42'],
  ['integer', '-7'],
  ['integer', '9223372036854775807'],
  ['decimal', '1234.50'],
  ['decimal', 'NaN'],
  ['decimal', '-Infinity'],
  ['decimal', '123456789012345678901234567890.5'],
  ['float', '1.5'],
  ['float', '1e+30'],
  ['boolean', 't'],
  ['text', ''],
  ['text', 'plain'],
  ['text', 'quote " and \\ and \n and \u0001'],
  ['text', 'Zoë 😀 密码'],
  ['text', 'long and plain: longer than what is copied byte by byte, so it is copied as a whole'],
  ['text', 'long, with a quote at its end: longer than what is copied byte by byte, so it is scanned "'],
  ['timestamp', '2026-01-31 09:30:00'],
  ['timestamp', '2026-01-31 09:30:00.123456'],
  ['timestamp', '0044-03-15 12:00:00 BC'],
  ['timestamp', '12026-01-31 09:30:00'],
  ['timestamp', 'infinity'],
  ['timestamptz', '2026-01-31 09:30:00.5+00'],
  ['date', '2026-01-31'],
  ['binary', '\\x00ff'],
  ['json', '{"a": [1, 2]}'],
  ['interval', '1 day 02:00:00'],
  ['uuid', '0190a2b4-0000-7000-8000-000000000000'],
];

it.each(usual)('writes %s %j like the cell does', (kind, text) => {
  expect(asRow([[kind, text]])).toBe(`{"c0":${byCell([[kind, text]])[0]}`);
});

it('writes all of them in one row, with NULLs in between', () => {
  const row = usual.flatMap((each) => [each, [each[0], null] as const]);
  const cells = byCell(row);
  expect(asRow(row)).toBe(cells.map((cell, column) => `${column === 0 ? '{' : ','}"c${column}":${cell}`).join(''));
});

it('does not write a row that is long, has a cell over the limit, or has no columns', () => {
  expect(asRow([['text', 'x'.repeat(70_000)]])).toBeNull();
  expect(asRow([['text', 'x'.repeat(200)]], 100)).toBeNull();
  expect(asRow([['text', '"'.repeat(99)]], 100)).toBeNull(); // escaped it is longer than the limit; the caller decides whether that counts
  expect(asRow([])).toBeNull();
});

type Cells = readonly (readonly [ColumnKind, string | null])[];

function batchOf(row: Cells): WireBatch {
  const cells = row.map(([, text]) => (text === null ? null : Buffer.from(text)));
  const body = Buffer.concat([
    int16(cells.length),
    ...cells.flatMap((cell) => (cell === null ? [int32(-1)] : [int32(cell.length), cell])),
  ]);
  const bytes = Buffer.concat([Buffer.from('D'), int32(body.length + 4), body]);
  return new WireBatch(
    bytes,
    [5],
    row.map(([kind]) => byteCellOf(kind, textCellOf(kind))),
  );
}

function asRow(row: Cells, maxCellBytes = 1 << 20): string | null {
  const keys = row.map((_, column) => Buffer.from(`${column === 0 ? '{' : ','}"c${column}":`));
  const out = new ByteWriter(16);
  return batchOf(row).writeJsonRow(0, keys, maxCellBytes, out) ? out.view().toString() : null;
}

const byCell = (row: Cells): string[] =>
  row.map((_, column) => {
    const out = new ByteWriter(16);
    batchOf(row).writeJson(0, column, out);
    return out.view().toString();
  });

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
