import {
  aggregates,
  type ChartConfig,
  chartThemes,
  chartTypes,
  sortings,
  stackings,
  timeUnits,
} from '../../src/core/chart-config.ts';
import type { SearchParams } from '../components/use-search-params.ts';
import { type ChartForm, type NumberField, ranges, createForm } from './chart-form.ts';

const toggles = [
  'showToolbar',
  'showDataLabels',
  'showGrid',
  'showLegend',
  'enableZoom',
  'enableAnimations',
  'patterns',
] as const;
const fields = [
  ...([
    'chartType',
    'labelColumn',
    'dataColumn',
    'title',
    'legendPosition',
    'barOrientation',
    'theme',
    'frameAncestors',
  ] as const),
  ...(['seriesColumn', 'stacked', 'aggregate', 'sortBy', 'timeUnit'] as const),
  ...(['chartHeight', 'animationSpeed', 'barWidth'] as const),
  ...toggles,
] as const;

const NO_TITLE = ' '; // an empty value would be left out of the URL

/** A generated chart as search parameters, named as in GetEmbedUrl, so that a reload or a link shows it again. */
export function urlOfChart(config: ChartConfig, defaultTitle: string): SearchParams {
  const defaults = createForm(defaultTitle);
  const changed = fields.map((field) => [field, config[field] === defaults[field] ? undefined : String(config[field])] as const);
  return {
    ...Object.fromEntries(changed),
    moreDataColumns: config.moreDataColumns.length === 0 ? undefined : JSON.stringify(config.moreDataColumns),
    chartType: config.chartType, // always present: marks that there is a chart
    ...(config.title === '' ? { title: NO_TITLE } : {}),
  };
}

/** A change that removes the chart from the URL. */
export const withoutChart: SearchParams = Object.fromEntries(
  [...fields, 'moreDataColumns', 'embed', 'viewer', 'open'].map((field) => [field, undefined]),
);

/** Who views the embed that is edited, and what they choose. */
export const viewersFromUrl = ({ viewer, open }: SearchParams) => ({
  viewer: readChoice(viewer, ['issuer', 'signed'], 'issuer'),
  open: listOf(open),
});

export const hasChart = ({ chartType }: SearchParams): boolean => chartType !== undefined;

/** Reads the form from the URL, with defaults for missing or invalid values. */
export function formFromUrl(params: SearchParams, defaultTitle: string): ChartForm {
  const defaults = createForm(defaultTitle);
  const types = chartTypes.map(({ type }) => type);
  const title = params.title ?? defaultTitle;
  const toggle = (field: (typeof toggles)[number]): boolean =>
    readChoice(params[field], ['true', 'false'], `${defaults[field]}`) === 'true';
  const number = (field: NumberField): number | string => readNumber(params[field], ranges[field]) ?? defaults[field];
  return {
    ...defaults,
    chartType: readChoice(params.chartType, types, defaults.chartType),
    labelColumn: params.labelColumn ?? '',
    dataColumn: params.dataColumn ?? '',
    moreDataColumns: listOf(params.moreDataColumns),
    seriesColumn: params.seriesColumn ?? null,
    stacked: readChoice(params.stacked, stackings, defaults.stacked),
    aggregate: readChoice(params.aggregate, aggregates, defaults.aggregate),
    sortBy: readChoice(params.sortBy, sortings, defaults.sortBy),
    timeUnit: readChoice(params.timeUnit, timeUnits, defaults.timeUnit),
    theme: readChoice(params.theme, chartThemes, defaults.theme),
    frameAncestors: params.frameAncestors ?? '',
    title: title === NO_TITLE ? '' : title,
    legendPosition: readChoice(params.legendPosition, ['top', 'bottom', 'left', 'right'], defaults.legendPosition),
    barOrientation: readChoice(params.barOrientation, ['vertical', 'horizontal'], defaults.barOrientation),
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

function listOf(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return []; // written by hand
  }
}

const readChoice = <T extends string>(field: string | undefined, choices: readonly T[], otherwise: T): T =>
  choices.find((choice) => choice === field) ?? otherwise;

function readNumber(field: string | undefined, [least, most]: readonly [number, number]): number | null {
  const value = field === undefined ? Number.NaN : Number(field);
  return Number.isInteger(value) && value >= least && value <= most ? value : null;
}
