import { writeFileSync } from 'node:fs';
import { pngOf } from '../../src/drawing/png-of.ts';
import { bars } from './cases/bars.ts';
import { cellsAndBoxes } from './cases/cells-and-boxes.ts';
import { fewLabels } from './cases/few-labels.ts';
import { linesAndDots } from './cases/lines-and-dots.ts';
import { dark, type PictureCase } from './cases/picture-case.ts';
import { slicesAndRings } from './cases/slices-and-rings.ts';
import { large, oneRow, phones, typical } from './cases/typical.ts';
import { svgOf } from './compare.ts';

// Draws all pictures of a kind on one sheet: node test/pictures/contact-sheet.ts light sheet.png
const kinds: Readonly<Record<string, readonly PictureCase[]>> = {
  light: typical,
  dark: typical.map(dark),
  phones,
  bars,
  'few-labels': fewLabels,
  lines: linesAndDots,
  slices: slicesAndRings,
  cells: cellsAndBoxes,
  'one-row': oneRow,
  large,
};
const [kind = 'light', file = 'contact-sheet.png'] = process.argv.slice(2);
const cases = kinds[kind];
if (!cases) throw new Error(`One of ${Object.keys(kinds).join(', ')}, please.`);

const columns = 3;
const svgs = cases.map(svgOf);
const heightOf = (svg: string): number => Number(/ height="(\d+)"/.exec(svg)?.[1]);
const [width, height] = [816, 16 + Math.min(900, Math.max(...svgs.map(heightOf)))];
const size = [columns * width, Math.ceil(cases.length / columns) * height];
const placed = svgs.map((svg, index) => {
  const [x, y] = [(index % columns) * width + 8, Math.floor(index / columns) * height + 8];
  return svg.replaceAll(/(id="|url\(#|href="#)zr-/g, `$1p${index}-`).replace('<svg ', `<svg x="${x}" y="${y}" `);
});
const sheet = `<svg width="${size[0]}" height="${size[1]}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><rect width="100%" height="100%" fill="#d9dce3"/>${placed.join('')}</svg>`;
writeFileSync(file, pngOf(sheet, 1));
