import { expect, test } from 'vitest';
import { ByteWriter } from '../../results/byte-writer.ts';
import { createJsonRowEncoder } from '../../results/encode/json-rows.ts';
import { BatchEncoder } from './child/batch-encoder.ts';
import { cellTags, EncodedBatch, frameHeader, FrameReader } from './frames.ts';

type Cell = readonly [tag: number, json: string];

const rows: readonly (readonly Cell[])[] = [
  [
    [cellTags.integer, '1'],
    [cellTags.plainText, '"é"'],
    [cellTags.null, 'null'],
  ],
  [
    [cellTags.real, '-1.5'],
    [cellTags.escapedText, String.raw`"a\"b"`],
    [cellTags.document, '{"a":\n1}'],
  ],
  [
    [cellTags.bigInteger, '"9007199254740993"'],
    [cellTags.plainText, `"${'x'.repeat(100)}"`],
    [cellTags.boolean, 'true'],
  ],
];

const encoder = new BatchEncoder<readonly Cell[]>();

function encode(all: readonly (readonly Cell[])[]): Buffer {
  encoder.begin(3, (row, column, out) => {
    const [tag, json] = row[column] ?? [cellTags.null, 'null'];
    out.utf8(json);
    return tag;
  });
  for (const row of all) encoder.add(row);
  const payload = Buffer.concat(encoder.take());
  return Buffer.concat([frameHeader(2, 7, payload.length), payload]);
}

function receive(bytes: Buffer, chunk: number): EncodedBatch[] {
  const batches: EncodedBatch[] = [];
  const reader = new FrameReader(({ payload }) => batches.push(new EncodedBatch(payload, 3)));
  for (let at = 0; at < bytes.length; at += chunk) reader.read(bytes.subarray(at, at + chunk));
  return batches;
}

const columns = ['a', 'b', 'c'].map((name) => ({ name, label: name, type: 'ANY', kind: 'undeclared' as const }));

test.each([1, 5, 64, 100_000])('rows are the same in chunks of %i bytes, whether written whole or by cells', (chunk) => {
  const many = Array.from({ length: 50 }, () => rows).flat(); // a small and a large payload
  for (const [index, batch] of receive(Buffer.concat([encode(rows), encode(many)]), chunk).entries()) {
    expect(batch.length).toBe(index === 0 ? rows.length : many.length);
    for (let row = 0; row < batch.length; row++) {
      const out = new ByteWriter(16);
      createJsonRowEncoder(columns).encodeRow(batch, row, out);
      const cells = (rows[row % rows.length] ?? []).map(([, json]) => json.replace('\n', ' '));
      expect(out.take().toString()).toBe(`{"a":${cells[0]},"b":${cells[1]},"c":${cells[2]}}`);
    }
  }
});

test('a cell that is too large is left to the caller, who refuses it', () => {
  const [batch] = receive(encode(rows), 1000);
  const encodeAll = () =>
    rows.forEach((_, row) => batch && createJsonRowEncoder(columns, 64).encodeRow(batch, row, new ByteWriter()));
  expect(encodeAll).toThrow(/column "b"/);
});

test('a released batch leaves others alone', () => {
  const [small, other] = receive(Buffer.concat([encode(rows), encode(rows)]), 1000); // both in one buffer of the pool
  small?.release();
  expect(other?.value(0, 0)).toBe(1);
});
