import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pngOf } from '../../src/drawing/png-of.ts';
import {
  decoded,
  difference,
  keptAsPictures,
  keptAsStructures,
  keptPixels,
  keptStructures,
  type Structure,
  structureOf,
  svgOf,
} from './compare.ts';

const structures: Readonly<Record<string, Structure>> = JSON.parse(readFileSync(keptStructures, 'utf8'));

// After an intended change: npx node test/pictures/keep.ts, then review the changed pictures.
describe('pictures match the reference pixels', () => {
  it.each(keptAsPictures.map((each) => [each.name, each] as const))('%s', (name, each) => {
    // font smoothing differs between machines; a bar, a label or a colour is more than this
    expect(difference(decoded(pngOf(svgOf(each), 1)), keptPixels(name))).toBeLessThan(0.003);
  });
});

describe('pictures match the reference structure', () => {
  it.each(keptAsStructures.map((each) => [each.name, each] as const))('%s', (name, each) => {
    expect(structureOf(svgOf(each))).toEqual(structures[name]);
  });

  it('there is no reference picture without a case', () => {
    expect(Object.keys(structures).sort()).toEqual(keptAsStructures.map(({ name }) => name).sort());
  });
});

describe('the comparison', () => {
  const picture = (name: string) => {
    const found = keptAsPictures.find((each) => each.name === name);
    if (!found) throw new Error(name);
    return found;
  };
  const seen = (each: ReturnType<typeof picture>) => decoded(pngOf(svgOf(each), 1));

  it('detects one bar that is slightly lower', () => {
    const bars = picture('bar');
    const rows = bars.rows.map((row, index) => (index === 2 ? { ...row, Revenue: 270_000 } : row));
    expect(difference(seen({ ...bars, rows }), seen(bars))).toBeGreaterThan(0.003);
  });

  it('detects a changed label, theme and size', () => {
    const pie = picture('pie');
    expect(difference(seen({ ...pie, config: { ...pie.config, showDataLabels: false } }), seen(pie))).toBeGreaterThan(0.003);
    expect(difference(seen({ ...pie, surface: { ...pie.surface, theme: 'dark' } }), seen(pie))).toBeGreaterThan(0.5);
    expect(difference(seen({ ...pie, surface: { ...pie.surface, width: 470 } }), seen(pie))).toBe(1);
  });
});
