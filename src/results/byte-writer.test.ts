import { expect, test } from 'vitest';
import { ByteWriter, freeBytes } from './byte-writer.ts';

test.each([0, 7, 9, 10, 99, 100, -1, 2147483647, -2147483647, 2147483648, -2147483648, 9007199254740991, -9007199254740991])(
  'writes the integer %d',
  (value) => {
    const out = new ByteWriter(1);
    out.integer(value);
    expect(out.take().toString()).toBe(String(value));
  },
);

test('writes digits with leading zeros', () => {
  const out = new ByteWriter();
  out.digits(7, 2);
  out.digits(1234, 6);
  expect(out.take().toString()).toBe('07001234');
});

test('grows beyond its capacity without losing a byte', () => {
  const out = new ByteWriter(1);
  let expected = '';
  for (let i = 0; i < 1000; i++) {
    out.utf8(`é${i}`);
    out.ascii('|');
    out.copy(Buffer.from('xyz'));
    expected += `é${i}|xyz`;
  }
  expect(out.view().toString()).toBe(expected);
});

test('frees its memory, but not memory of the pool', () => {
  const own = new ByteWriter(1 << 16);
  own.ascii('abc');
  own.free();
  expect(own.bytes.length).toBe(0);
  const large = Buffer.allocUnsafeSlow(Buffer.poolSize + 1);
  freeBytes(large.subarray(1, 2));
  expect(large.length).toBe(0);
  const shared = new ByteWriter(16);
  const neighbor = new ByteWriter(16);
  neighbor.ascii('kept');
  shared.free();
  expect(neighbor.view().toString()).toBe('kept');
});
