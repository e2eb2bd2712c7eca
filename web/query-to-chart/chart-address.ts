import { type ChartConfig, chartTypes } from '../../src/charts/chart-config.ts';
import type { SearchParams } from '../components/use-search-params.ts';
import { type ChartForm, type NumberField, ranges, initialForm } from './chart-form.ts';

const toggles = [
  'showToolbar',
  'showDataLabels',
  'showGrid',
  'showLegend',
  'enableZoom',
  'enableAnimations',
  'patterns',
] as const;
const words = [
  ...(['chartType', 'labelColumn', 'dataColumn', 'title', 'legendPosition', 'barOrientation'] as const),
  ...(['chartHeight', 'animationSpeed', 'barWidth'] as const),
  ...toggles,
] as const;

const NO_TITLE = ' '; // an empty word would not be in the address at all

/** A chart that was generated, as words of the address under the names of GetEmbedUrl: a reload, or a link, shows it again. */
export function addressOfChart(config: ChartConfig, defaultTitle: string): SearchParams {
  const defaults = initialForm(defaultTitle);
  const given = words.map((word) => [word, config[word] === defaults[word] ? undefined : String(config[word])] as const);
  return {
    ...Object.fromEntries(given),
    chartType: config.chartType, // always: it tells that there is a chart
    ...(config.title === '' ? { title: NO_TITLE } : {}),
  };
}

/** The change that takes a chart out of an address. */
export const withoutChart: SearchParams = Object.fromEntries(words.map((word) => [word, undefined]));

export const namesChart = ({ chartType }: SearchParams): boolean => chartType !== undefined;

/** The form that an address names. What it leaves out, or what makes no sense there, is as defaults. */
export function formOfAddress(address: SearchParams, defaultTitle: string): ChartForm {
  const defaults = initialForm(defaultTitle);
  const types = chartTypes.map(({ type }) => type);
  const title = address.title ?? defaultTitle;
  const toggle = (word: (typeof toggles)[number]): boolean =>
    oneOf(address[word], ['true', 'false'], `${defaults[word]}`) === 'true';
  const number = (word: NumberField): number | string => within(address[word], ranges[word]) ?? defaults[word];
  return {
    ...defaults,
    chartType: oneOf(address.chartType, types, defaults.chartType),
    labelColumn: address.labelColumn ?? '',
    dataColumn: address.dataColumn ?? '',
    title: title === NO_TITLE ? '' : title,
    legendPosition: oneOf(address.legendPosition, ['top', 'bottom', 'left', 'right'], defaults.legendPosition),
    barOrientation: oneOf(address.barOrientation, ['vertical', 'horizontal'], defaults.barOrientation),
    chartHeight: number('chartHeight'),
    animationSpeed: number('animationSpeed'),
    barWidth: number('barWidth'),
    showToolbar: toggle('showToolbar'),
    showDataLabels: toggle('showDataLabels'),
    showGrid: toggle('showGrid'),
    showLegend: toggle('showLegend'),
    enableZoom: toggle('enableZoom'),
    enableAnimations: toggle('enableAnimations'),
    patterns: toggle('patterns'),
  };
}

const oneOf = <T extends string>(word: string | undefined, choices: readonly T[], otherwise: T): T =>
  choices.find((choice) => choice === word) ?? otherwise;

function within(word: string | undefined, [least, most]: readonly [number, number]): number | null {
  const value = word === undefined ? Number.NaN : Number(word);
  return Number.isInteger(value) && value >= least && value <= most ? value : null;
}
