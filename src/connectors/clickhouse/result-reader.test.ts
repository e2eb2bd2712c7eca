import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { BrokenResultError, ResultReader } from './result-reader.ts';

const rows = ['[1, "a\\"]é😀\\\\"]', '[null, ""]', '[[1,[2]], {"k": "}]"}]'];
const meta = '{"meta":[{"name":"a\\"data\\":[","type":"Int8"},{"name":"data","type":"String"}],';
const whole = `${meta}\n"data":\n[\n\t${rows.join(',\n\t')}\n],\n"rows": 3,\n"statistics":{"elapsed":1}}`;

async function read(chunks: readonly Buffer[]): Promise<string[][]> {
  const reader = new ResultReader(Readable.from(chunks));
  await reader.start();
  expect(reader.columns.map(({ name }) => name)).toEqual(['a"data":[', 'data']);
  const all = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    const { bytes, bounds } = next;
    const cell = (at: number) => bytes.toString('utf8', bounds[at], bounds[at + 1]);
    for (let row = 0; row < bounds.length; row += 4) all.push([cell(row), cell(row + 2)]);
  }
  return all;
}

const expected = [
  ['1', '"a\\"]é😀\\\\"'],
  ['null', '""'],
  ['[1,[2]]', '{"k": "}]"}'],
];

test('parses a result split at any position', async () => {
  const bytes = Buffer.from(whole);
  for (let at = 0; at <= bytes.length; at++) {
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected);
  }
  expect(await read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(expected);
});

test('rejects a result truncated at any position', async () => {
  const bytes = Buffer.from(whole);
  for (let end = 0; end < bytes.length; end++) {
    await expect(read([bytes.subarray(0, end)])).rejects.toThrow(BrokenResultError);
  }
});

test.each([
  ['text in the place of a row', whole.replace('[null, ""]', 'Code: 153. DB::Exception: no'), /Code: 153/],
  ['text in the middle of a row', whole.replace(/\[null, ""\][\s\S]*/, '[nullCode: 153. DB::Exception: no'), /Code: 153/],
  ['a row too few', whole.replace('\n\t[null, ""],', ''), /broke off/],
  ['a cell too few', whole.replace('[null, ""]', '[null]'), /broke off/],
  [
    'an exception at the end',
    whole.replace('"statistics"', '"exception":"Code: 241. DB::Exception: no memory","statistics"'),
    /Code: 241/,
  ],
])('rejects %s', async (_, text, message) => {
  await expect(read([Buffer.from(text)])).rejects.toThrow(message);
});

test('replaces bytes that are not UTF-8, and nothing around them', async () => {
  const bytes = Buffer.from(whole.replace('é', '\x00'), 'utf8');
  bytes[bytes.indexOf(0)] = 0xe9;
  const [first, ...others] = await read([bytes]);
  expect(first).toEqual(['1', '"a\\"]\ufffd😀\\\\"']);
  expect(others).toEqual(expected.slice(1));
});

test('reads a long row in time that grows with its length', async () => {
  const long = 'x'.repeat(64 << 20);
  const bytes = Buffer.from(whole.replace('""]', `"${long}"]`));
  const chunks = Array.from({ length: Math.ceil(bytes.length / (1 << 14)) }, (_, i) => bytes.subarray(i << 14, (i + 1) << 14));
  expect((await read(chunks))[1]?.[1]).toHaveLength(long.length + 2);
});
