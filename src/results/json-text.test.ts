import { expect, test } from 'vitest';
import { ByteWriter } from './byte-writer.ts';
import { writeJsonBytes, writeJsonString } from './json-text.ts';

const texts = [
  '',
  'plain',
  'with "quotes" and \\ backslash',
  'line\nbreak\ttab\r\b\f',
  [...Array(32).keys()].map((code) => String.fromCharCode(code)).join(''),
  'ä€😀',
  'long enough to be copied whole: '.repeat(10),
  `${'long with one escape '.repeat(10)}"`,
  '\u007f\u2028',
];

test.each(texts)('writes the same JSON from text and from bytes: %j', (text) => {
  const out = new ByteWriter(4);
  writeJsonString(out, text);
  expect(out.take().toString()).toBe(JSON.stringify(text));

  const source = Buffer.from(`<${text}>`);
  writeJsonBytes(out, source, 1, source.length - 1);
  expect(JSON.parse(out.view().toString())).toBe(text);
});

test('escapes a lone surrogate', () => {
  const out = new ByteWriter();
  writeJsonString(out, 'a\ud800b');
  expect(out.take().toString()).toBe('"a\\ud800b"');
});
