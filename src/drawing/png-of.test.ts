import { Resvg } from '@resvg/resvg-js';
import { expect, it } from 'vitest';
import { pngOf } from './png-of.ts';

const textPicture = (text: string): string =>
  `<svg width="200" height="40" xmlns="http://www.w3.org/2000/svg"><text font-size="20px" font-family="Inter" x="10" y="28">${text}</text></svg>`;

/** The dark pixels of each column, as a fingerprint of the rendered text. */
function shapeOf(text: string): string {
  const png = Buffer.from(pngOf(textPicture(text), 1)).toString('base64');
  const seen = new Resvg(
    `<svg width="200" height="40" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image width="200" height="40" xlink:href="data:image/png;base64,${png}"/></svg>`,
  ).render().pixels;
  return Array.from({ length: 200 }, (_, x) =>
    Array.from({ length: 40 }, (__, y) => (seen[(y * 200 + x) * 4 + 3] ?? 0) > 64)
      .filter(Boolean)
      .length.toString(36),
  ).join('');
}

it.each([
  ['Latin', 'Abc', 'Xyz'],
  ['Cyrillic', 'Привет', 'Москва'],
  ['Greek', 'Αθήνα', 'Πάτρα'],
  ['Arabic', 'السلام', 'مرحبا'],
  ['Hebrew', 'שלום', 'ירוש'],
  ['Chinese', '北京', '上海'],
  ['Japanese', 'さくら', 'ひらが'],
  ['Devanagari', 'नमस्', 'भारत'],
])('has glyphs for %s', (_, first, second) => {
  // missing glyphs are left out or drawn alike
  expect(shapeOf(first)).not.toMatch(/^0*$/);
  expect(shapeOf(first)).not.toBe(shapeOf(second));
});

it('draws nothing for an invisible character', () => {
  expect(shapeOf('a\u2060b')).toBe(shapeOf('ab'));
});
