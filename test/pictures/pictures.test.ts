import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pngOf } from '../../src/drawing/png-of.ts';
import {
  decodePng,
  difference,
  keptAsPictures,
  keptAsStructures,
  readKeptPixels,
  keptStructures,
  type Structure,
  structureOf,
  svgOf,
} from './compare.ts';
import { textDefects } from './text-boxes.ts';

const structures: Readonly<Record<string, Structure>> = JSON.parse(readFileSync(keptStructures, 'utf8'));

// After an intended change: npx node test/pictures/keep.ts, then review the changed pictures.
describe('pictures match the reference pixels', () => {
  it.each(keptAsPictures.map((each) => [each.name, each] as const))('%s', (name, each) => {
    // font smoothing differs between machines; a bar, a label or a color is more than this
    const svg = svgOf(each);
    expect(difference(decodePng(pngOf(svg, 1)), readKeptPixels(name))).toBeLessThan(0.003);
    expect(textDefects(svg)).toEqual([]);
  });
});

describe('pictures match the reference structure', () => {
  it.each(keptAsStructures.map((each) => [each.name, each] as const))('%s', (name, each) => {
    const svg = svgOf(each);
    expect(structureOf(svg)).toEqual(structures[name]);
    if (!name.startsWith('5000-')) expect(textDefects(svg)).toEqual([]); // thousands of texts are thinned out
  });

  it('there is no reference picture without a case', () => {
    expect(Object.keys(structures).sort()).toEqual(keptAsStructures.map(({ name }) => name).sort());
  });
});

describe('the check of texts', () => {
  it('detects labels on each other, outside and too small', () => {
    const text = (size: number, at: string) => `<text font-size="${size}px" transform="${at}">Label</text>`;
    const texts = [text(12, 'translate(10 20)'), text(10, 'translate(20 24)'), text(12, 'matrix(0,-1,1,0,95,10)')];
    expect(textDefects(`<svg width="100" height="50">${texts.join('')}</svg>`)).toEqual([
      'Label is smaller than 11 px',
      'Label is on Label',
      'Label is outside',
    ]);
  });
});

describe('the comparison', () => {
  const picture = (name: string) => {
    const found = keptAsPictures.find((each) => each.name === name);
    if (!found) throw new Error(name);
    return found;
  };
  const seen = (each: ReturnType<typeof picture>) => decodePng(pngOf(svgOf(each), 1));

  it('detects one bar that is slightly lower', () => {
    const bars = picture('bar');
    const rows = bars.rows.map((row, index) => (index === 2 ? { ...row, Revenue: 250_000 } : row));
    expect(difference(seen({ ...bars, rows }), seen(bars))).toBeGreaterThan(0.003);
  });

  it('detects a changed label, theme and size', () => {
    const pie = picture('pie');
    expect(difference(seen({ ...pie, config: { ...pie.config, showLegend: false } }), seen(pie))).toBeGreaterThan(0.003);
    expect(difference(seen({ ...pie, surface: { ...pie.surface, theme: 'dark' } }), seen(pie))).toBeGreaterThan(0.5);
    expect(difference(seen({ ...pie, surface: { ...pie.surface, width: 470 } }), seen(pie))).toBe(1);
  });
});
