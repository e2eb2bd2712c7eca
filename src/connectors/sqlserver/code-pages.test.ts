import { expect, test } from 'vitest';
import { codePageText } from './code-pages.ts';

const read = (codePage: string | undefined, ...bytes: number[]) => codePageText(codePage)(Buffer.from(bytes), 0, bytes.length);

test.each([
  ['CP1252', [0x80, 0xe9], '€é'],
  ['CP1250', [0xb3, 0xf3], 'łó'],
  ['CP1251', [0xcf], 'П'],
  ['CP1253', [0xe1], 'α'],
  ['CP1258', [0xd0], 'Đ'],
  ['CP874', [0xa1], 'ก'],
  ['CP932', [0x93, 0xfa, 0x96, 0x7b], '日本'],
  ['CP936', [0xd6, 0xd0], '中'],
  ['CP949', [0xc7, 0xd1], '한'],
  ['CP950', [0xa4, 0xa4], '中'],
  ['CP437', [0x41, 0x80, 0xe1, 0xff], 'AÇß\u00a0'],
  ['CP850', [0x41, 0x80, 0xe1, 0xd5], 'AÇßı'],
  ['utf-8', [0xf0, 0x9f, 0x98, 0x80], '😀'],
])('%s %j is %s', (codePage, bytes, text) => {
  expect(read(codePage, ...bytes)).toBe(text);
});

test('non-ASCII text in an unknown code page fails, ASCII does not', () => {
  expect(read(undefined, 0x41)).toBe('A');
  expect(() => read(undefined, 0xe4)).toThrow(/collation/);
});
