import { expect, test } from 'vitest';
import { ByteWriter } from '../../../../results/byte-writer.ts';
import { writeDate, writeTime, writeTimestamp } from './time-cells.ts';

const written = (write: (out: ByteWriter) => void): string => {
  const out = new ByteWriter(1);
  write(out);
  return out.view().toString();
};

test('dates equal those of JavaScript for four thousand years before and after 1970', () => {
  for (let day = -1_500_000; day < 1_500_000; day += 37) {
    const expected = new Date(day * 86_400_000).toISOString().split('T')[0];
    expect(written((out) => writeDate(out, day))).toBe(expected);
  }
});

test('fractions are written without trailing zeros, and omitted when zero', () => {
  expect(written((out) => writeTimestamp(out, 0, 0, 6, false))).toBe('1970-01-01T00:00:00');
  expect(written((out) => writeTimestamp(out, -1, 120_000, 6, true))).toBe('1969-12-31T23:59:59.12Z');
  expect(written((out) => writeTimestamp(out, 86_399, 1, 9, false))).toBe('1970-01-01T23:59:59.000000001');
  expect(written((out) => writeTime(out, 34_200_500, 3))).toBe('09:30:00.5');
});
