import {
  aggregates,
  barOrientations,
  type ChartConfig,
  chartThemes,
  chartTypes,
  legendPositions,
  sortings,
  stackings,
  timeUnits,
} from '../../src/core/chart-config.ts';
import type { SearchParams } from '../components/use-search-params.ts';
import { type ChartForm, type NumberField, ranges, createForm } from './chart-form.ts';

const NO_TITLE = ' '; // an empty value would be left out of the URL

/** A generated chart as search parameters, named as in GetEmbedUrl, so that a reload or a link shows it again. */
export function urlOfChart({ moreDataColumns, ...config }: ChartConfig, defaultTitle: string): SearchParams {
  const defaults: Readonly<Record<string, unknown>> = createForm(defaultTitle);
  const changed = Object.entries(config).map(([field, value]) => [field, value === defaults[field] ? undefined : String(value)]);
  return {
    ...Object.fromEntries(changed),
    moreDataColumns: moreDataColumns.length === 0 ? undefined : JSON.stringify(moreDataColumns),
    chartType: config.chartType, // always present: marks that there is a chart
    ...(config.title === '' ? { title: NO_TITLE } : {}),
  };
}

/** A change that removes the chart from the URL. */
export const withoutChart: SearchParams = Object.fromEntries(
  [...Object.keys(createForm('')), 'embed', 'viewer', 'open'].map((field) => [field, undefined]),
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
  const toggle = (field: keyof ChartForm): boolean =>
    readChoice(params[field], ['true', 'false'], String(defaults[field])) === 'true';
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
    legendPosition: readChoice(params.legendPosition, legendPositions, defaults.legendPosition),
    barOrientation: readChoice(params.barOrientation, barOrientations, defaults.barOrientation),
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
