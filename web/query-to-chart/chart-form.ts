import type { ChartColumn } from '../../src/charts/built-chart.ts';
import { type ChartConfig, chartConfigDefaults } from '../../src/core/chart-config.ts';
import type { ChartColumns } from '../chart/chart-columns.ts';

/** The values of the form; a number may be empty or invalid while it is typed. */
export type ChartForm = Omit<ChartConfig, NumberField> & { readonly [field in NumberField]: number | string };
export type NumberField = 'chartHeight' | 'animationSpeed' | 'barWidth';

/** The ranges that GetEmbedUrl accepts. */
export const ranges: Readonly<Record<NumberField, readonly [least: number, most: number]>> = {
  chartHeight: [100, 4000],
  animationSpeed: [0, 10_000],
  barWidth: [1, 100],
};

export const createForm = (title: string): ChartForm => ({
  ...chartConfigDefaults,
  chartType: 'bar',
  labelColumn: '',
  dataColumn: '',
  title,
});

/**
 * Starts with the chart of the query, or the suggested one. Later keeps the chosen columns if the result has them. The rows of a list
 * can only be counted.
 */
export function withColumns(form: ChartForm, { columns, settings }: ChartColumns): ChartForm {
  if (settings === null) return form.dataColumn === '' ? { ...form, aggregate: 'count' } : form;
  if (form.labelColumn === '' && form.dataColumn === '') return { ...settings, title: settings.title || form.title };
  const has = (name: string): boolean => columns.some((column) => column.name === name);
  return {
    ...form,
    labelColumn: has(form.labelColumn) ? form.labelColumn : settings.labelColumn,
    dataColumn: has(form.dataColumn) ? form.dataColumn : settings.dataColumn,
    moreDataColumns: form.moreDataColumns.filter(has),
    seriesColumn: form.seriesColumn !== null && has(form.seriesColumn) ? form.seriesColumn : null,
  };
}

/** Whether the values of a column are positions on an axis. */
export const hasPositions = ({ class: columnClass, nature }: ChartColumn): boolean =>
  nature === 'time' || (columnClass === 'numeric' && nature !== 'id');

/** A label column for a scatter chart in place of one without positions; null if there is none or nothing to replace. */
export function positionColumn(form: ChartForm, columns: readonly ChartColumn[]): string | null {
  const chosen = columns.find(({ name }) => name === form.labelColumn);
  if (chosen !== undefined && hasPositions(chosen)) return null;
  return columns.find((column) => hasPositions(column) && column.name !== form.dataColumn)?.name ?? null;
}

export type FormErrors = Readonly<Partial<Record<keyof ChartForm, string>>>;

/** The chart configuration, or the errors by field. */
export function configOf(form: ChartForm): { readonly config: ChartConfig } | { readonly errors: FormErrors } {
  const errors: Partial<Record<keyof ChartForm, string>> = {};
  const number = (field: NumberField): number => {
    const [least, most] = ranges[field];
    const value = form[field] === '' ? Number.NaN : Number(form[field]);
    if (!(Number.isInteger(value) && value >= least && value <= most)) {
      errors[field] = `Enter a whole number from ${least} to ${most}.`;
    }
    return value;
  };
  if (form.labelColumn === '') errors.labelColumn = 'Choose a column.';
  if (form.dataColumn === '') errors.dataColumn = 'Choose a column.';
  if ([...form.title].length > MAX_TITLE) errors.title = `Enter at most ${MAX_TITLE} characters.`;
  const config = {
    ...form,
    chartHeight: number('chartHeight'),
    animationSpeed: number('animationSpeed'),
    barWidth: number('barWidth'),
  };
  return Object.keys(errors).length > 0 ? { errors } : { config };
}

const MAX_TITLE = 300;
