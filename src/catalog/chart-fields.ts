import { z } from 'zod';
import * as charts from '../core/chart-config.ts';
import { definedFields } from '../core/defined-fields.ts';
import { exactPartial, optional, sentShape, shownShape, text, wholeNumber, type WireField } from './wire-field.ts';

export const columnClass = z.enum(['categorical', 'numeric']);
export const chartType = z.enum(charts.chartTypes.map(({ type }) => type));
export const legendPosition = z.enum(charts.legendPositions);
export const barOrientation = z.enum(charts.barOrientations);
export const chartTheme = z.enum(charts.chartThemes);
export const aggregate = z.enum(charts.aggregates);
export const sortBy = z.enum(charts.sortings);
export const timeUnit = z.enum(charts.timeUnits);
export const bucketUnit = timeUnit.exclude(['auto', 'none']);
export const stacked = z.enum(charts.stackings);

const same = <T extends z.ZodType>(schema: T): WireField<T, T> => ({ sent: schema, shown: schema });
const number = (from: number, to: number) => ({ sent: wholeNumber(from, to), shown: z.number() });
const flag = same(z.boolean());

const optionFields = {
  title: { sent: text(300), shown: z.string() },
  chartHeight: number(100, 4000),
  animationSpeed: number(0, 10_000),
  showToolbar: flag,
  showDataLabels: flag,
  showGrid: flag,
  showLegend: flag,
  enableZoom: flag,
  enableAnimations: flag,
  barOrientation: same(barOrientation),
  barWidth: number(1, 100),
  legendPosition: same(legendPosition),
  theme: same(chartTheme),
  patterns: flag,
  stacked: same(stacked),
};
export const sentChartOptions = sentShape(optionFields);

/** How a chart looks, whatever its columns are. */
export const chartOptions = {
  sent: z.object(sentChartOptions).partial(),
  shown: z.object(exactPartial(shownShape(optionFields))),
};

const columnName = text(1000).min(1);
const chartFields = {
  type: same(chartType),
  label: { sent: columnName.describe('Display name of the column for the labels.'), shown: z.string() },
  data: {
    sent: z.array(columnName).min(1).max(20).describe('Display names of the columns with the values, one series each.'),
    shown: z.array(z.string()).readonly(),
  },
  series: optional(columnName, z.string(), 'Display name of a column: one series for each of its values.'),
  aggregate: optional(aggregate, aggregate, 'How rows with the same label are combined; default: sum.'),
  sortBy: optional(sortBy, sortBy, 'Order of the labels; default: as in the rows.'),
  timeUnit: optional(timeUnit, timeUnit, 'Unit of time that labels are grouped by; default: auto.'),
  options: {
    sent: chartOptions.sent
      .nullish()
      .transform((options) => (options == null ? undefined : definedFields(options)))
      .describe('As in GetEmbedUrl.'),
    shown: chartOptions.shown.exactOptional(),
  },
};

/** The chart that a query is drawn as unless the reader chooses another. Columns are named by their display name. */
export const queryChart = {
  sent: z
    .object(sentShape(chartFields))
    .refine(({ data, series }) => series === undefined || data.length === 1, {
      path: ['series'],
      message: 'A series column needs exactly one data column.',
    })
    .transform((chart) => definedFields(chart)),
  shown: z.object(shownShape(chartFields)),
};
