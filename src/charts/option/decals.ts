import type { Option, Scene } from '../scene.ts';

/** Patterns for colour-blind readers: one per colour, so that no two marks share theirs. */
export function decalsOf({ config, theme }: Scene): Option {
  // patterns would hide shades of heatmaps and names in treemaps
  const helps = config.chartType !== 'heatmap' && config.chartType !== 'treemap';
  if (!config.patterns || !helps) return { show: false };
  const color = theme.dark ? 'rgba(0,0,0,0.45)' : 'rgba(255,255,255,0.6)';
  return { show: true, decals: patterns.map((pattern) => ({ color, ...pattern })) };
}

/** Legend marks that are large enough to show a pattern. */
export const legendMark = ({ config }: Scene): { readonly itemWidth: number; readonly itemHeight: number } =>
  config.patterns ? { itemWidth: 22, itemHeight: 14 } : { itemWidth: 10, itemHeight: 10 };

// lengths of dashes and gaps, along and across
const staggerDashes = (length: number): readonly (readonly number[])[] => [
  [length, length],
  [0, length, length, 0],
];
const patterns: readonly Option[] = [
  { dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: Math.PI / 6 },
  { symbol: 'circle', dashArrayX: staggerDashes(8), dashArrayY: [6, 0], symbolSize: 0.8 },
  { dashArrayX: [1, 0], dashArrayY: [4, 4], rotation: -Math.PI / 4 },
  { symbol: 'rect', dashArrayX: staggerDashes(6), dashArrayY: [6, 0] },
  {
    dashArrayX: [
      [1, 0],
      [1, 6],
    ],
    dashArrayY: [1, 0, 6, 0],
    rotation: Math.PI / 4,
  },
  { symbol: 'triangle', dashArrayX: staggerDashes(9), dashArrayY: [7, 2], symbolSize: 0.75 },
  { dashArrayX: [1, 0], dashArrayY: [3, 6] },
  { dashArrayX: [1, 0], dashArrayY: [3, 6], rotation: Math.PI / 2 },
  { symbol: 'circle', dashArrayX: [3, 5], dashArrayY: [3, 5], symbolSize: 1 },
  { dashArrayX: [12, 6], dashArrayY: [3, 5], rotation: -Math.PI / 4 },
];
