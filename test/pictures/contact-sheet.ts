import { writeFileSync } from 'node:fs';
import { pngOf } from '../../src/drawing/png-of.ts';
import { dark, edgeCases, large, oneRow, type PictureCase, severalSeries, twelve } from './cases.ts';
import { svgOf } from './compare.ts';

// Draws all pictures of a kind on one sheet: node test/pictures/contact-sheet.ts light sheet.png
const kinds: Readonly<Record<string, readonly PictureCase[]>> = {
  light: twelve,
  dark: twelve.map(dark),
  edges: edgeCases,
  series: severalSeries,
  'series-dark': severalSeries.map(dark),
  'one-row': oneRow,
  large,
};
const [kind = 'light', file = 'contact-sheet.png'] = process.argv.slice(2);
const cases = kinds[kind];
if (!cases) throw new Error(`One of ${Object.keys(kinds).join(', ')}, please.`);

const columns = 3;
const [width, height] = [816, 416];
const size = [columns * width, Math.ceil(cases.length / columns) * height];
const placed = cases.map((each, index) => {
  const [x, y] = [(index % columns) * width + 8, Math.floor(index / columns) * height + 8];
  return svgOf(each)
    .replaceAll(/(id="|url\(#|href="#)zr-/g, `$1p${index}-`)
    .replace('<svg ', `<svg x="${x}" y="${y}" `);
});
const sheet = `<svg width="${size[0]}" height="${size[1]}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><rect width="100%" height="100%" fill="#d9dce3"/>${placed.join('')}</svg>`;
writeFileSync(file, pngOf(sheet, 1));
