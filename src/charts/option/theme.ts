import type { ChartSurface } from '../built-chart.ts';

/** Contains no quotes, because it is used in attributes. */
export const chartFont = 'Inter, Noto Sans, Noto Sans Arabic, Noto Sans Hebrew, Noto Sans SC, system-ui, sans-serif';

export interface ChartTheme {
  readonly dark: boolean;
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly axis: string;
  readonly grid: string;
  readonly web: string; // grid lines behind the data
  readonly tip: string;
  readonly tipBorder: string;
  readonly shade: string; // background of the hovered bar
  readonly ramp: readonly string[]; // from low to high
  readonly diverging: readonly string[]; // from negative to positive
  readonly leaf: readonly [low: string, high: string]; // both readable with white text
  readonly colors: readonly string[]; // distinguishable with common color vision deficiencies
  readonly others: string; // grouped values
}

export const themeOf = (surface: ChartSurface): ChartTheme => (surface.theme === 'dark' ? dark : light);

/** The color of the nth slice or series; the tenth is that of grouped values. */
export const colorAt = (theme: ChartTheme, index: number): string =>
  theme.colors[index % (theme.colors.length + 1)] ?? theme.others;

export const withAlpha = (color: string, alpha: number): string => `rgba(${channels(color).join(',')},${alpha})`;

export function blend(from: string, to: string, share: number): string {
  const goal = channels(to);
  const mixed = channels(from).map((channel, index) => Math.round(channel + ((goal[index] ?? 0) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Black or white, whichever has more contrast. */
export function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.2 ? '#0f1115' : '#ffffff';
}

/** The color at a position between 0 and 1 on a scale, as ECharts interpolates it. */
export function onRamp(ramp: readonly string[], position: number): string {
  const at = Math.min(1, Math.max(0, position)) * (ramp.length - 1);
  const below = Math.min(ramp.length - 2, Math.floor(at));
  return blend(ramp[below] ?? '#000000', ramp[below + 1] ?? '#000000', at - below);
}

const channels = (color: string): readonly number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));

const light: ChartTheme = {
  dark: false,
  background: '#ffffff',
  text: '#1f2937',
  muted: '#5b6472',
  axis: '#c3c9d2',
  grid: '#e6e9ef',
  web: '#d3d9e2',
  tip: '#ffffff',
  tipBorder: '#d6dbe3',
  shade: 'rgba(15,23,42,0.05)',
  ramp: ['#eaf1fd', '#a9c8f7', '#5a94ea', '#2563c9', '#123a80'],
  diverging: ['#b3362b', '#ee9a8a', '#f4f4f5', '#8db4ee', '#1f5fc4'],
  leaf: ['#4a78cf', '#173f8f'],
  colors: ['#2f6fde', '#ef6a32', '#098777', '#8a1a72', '#5699ca', '#855911', '#44a264', '#4b17af', '#723214'],
  others: '#64748b',
};

const dark: ChartTheme = {
  dark: true,
  background: '#16181d',
  text: '#e6e9ef',
  muted: '#a3abb8',
  axis: '#4a515e',
  grid: '#2a2f38',
  web: '#3a414d',
  tip: '#22262e',
  tipBorder: '#3b424e',
  shade: 'rgba(255,255,255,0.05)',
  ramp: ['#1b2a44', '#274c86', '#3f78d0', '#77a8f2', '#c9defc'],
  diverging: ['#e0685b', '#8a443c', '#33373f', '#34588f', '#78a9f5'],
  leaf: ['#2a4f8c', '#3d70c8'],
  colors: ['#6ea2f7', '#e49c4a', '#3fe0b0', '#b14c98', '#73cff1', '#f2d441', '#7757e9', '#cb7b84', '#6c9328'],
  others: '#7c8798',
};
