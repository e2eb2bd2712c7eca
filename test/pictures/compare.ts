import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Resvg } from '@resvg/resvg-js';
import { chartSvg } from '../../src/charts/svg/chart-svg.ts';
import { buildFromRows } from '../support/results/build-test-chart.ts';
import { bars } from './cases/bars.ts';
import { cellsAndBoxes } from './cases/cells-and-boxes.ts';
import { fewLabels } from './cases/few-labels.ts';
import { linesAndDots } from './cases/lines-and-dots.ts';
import { dark, type PictureCase } from './cases/picture-case.ts';
import { slicesAndRings } from './cases/slices-and-rings.ts';
import { large, oneRow, phones, typical } from './cases/typical.ts';

const keptFolder = join(import.meta.dirname, 'kept');
export const keptStructures = join(keptFolder, 'structures.json');
export const keptPicturePath = (name: string): string => join(keptFolder, `${name}.png`);

const families: readonly PictureCase[] = [...bars, ...fewLabels, ...linesAndDots, ...slicesAndRings, ...cellsAndBoxes];

/** Compared by pixels: small enough for many pictures, large enough to show defects. */
export const keptAsPictures: readonly PictureCase[] = [...typical, ...typical.map(dark), ...phones, ...families].map((each) => ({
  ...each,
  config: { ...each.config, chartHeight: Math.min(300, each.config.chartHeight) },
  surface: { ...each.surface, width: Math.min(480, each.surface.width) },
}));

/** Compared by structure. */
export const keptAsStructures: readonly PictureCase[] = [...typical, ...phones, ...families, ...oneRow, ...large];

/** As the service draws it. */
export function svgOf({ columns, rows, config, surface }: PictureCase): string {
  const still = { ...surface, still: true };
  // ECharts stops measuring single characters where that takes long: a busy machine would cut texts elsewhere
  mock.timers.enable({ apis: ['Date'] });
  try {
    return chartSvg(buildFromRows(columns, rows, config, still), still);
  } finally {
    mock.timers.reset();
  }
}

export interface Structure {
  readonly elements: Readonly<Record<string, number>>;
  readonly texts: string;
}

/** The structure of an SVG: the count of each element, and all text. */
export function structureOf(svg: string): Structure {
  const elements: Record<string, number> = {};
  for (const [, name = ''] of svg.matchAll(/<([a-z]+)[\s>]/gi)) elements[name] = (elements[name] ?? 0) + 1;
  return { elements, texts: [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text).join(' | ') };
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

export function decodePng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const href = `data:image/png;base64,${bytes.toString('base64')}`;
  const image = `<svg width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image width="${width}" height="${height}" xlink:href="${href}"/></svg>`;
  return { width, height, rgba: new Resvg(image, { font: { loadSystemFonts: false } }).render().pixels };
}

export const readKeptPixels = (name: string): Pixels => decodePng(readFileSync(keptPicturePath(name)));

/** The share of pixels with a clearly different color. */
export function difference(one: Pixels, other: Pixels): number {
  if (one.width !== other.width || one.height !== other.height) return 1;
  let different = 0;
  for (let pixel = 0; pixel < one.rgba.length; pixel += 4) {
    if (isApart(one, other, pixel) || isApart(one, other, pixel + 1) || isApart(one, other, pixel + 2)) different++;
  }
  return different / (one.width * one.height);
}

const isApart = (one: Pixels, other: Pixels, at: number): boolean => Math.abs((one.rgba[at] ?? 0) - (other.rgba[at] ?? 0)) > 40;
