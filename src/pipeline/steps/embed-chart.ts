import type { Query, QueryChart } from '../../catalog/query.ts';
import { configOfChart, withColumns } from '../../charts/suggest-chart.ts';
import { type ChartConfig, chartConfigDefaults } from '../../core/chart-config.ts';
import { definedFields } from '../../core/defined-fields.ts';
import {
  failed,
  fieldInvalid,
  type FieldProblem,
  inputRefused,
  missingFieldProblem,
  type Result,
  succeeded,
} from '../../core/errors.ts';
import { labelColumns } from '../../results/columns.ts';

/** The chart of an embed as it was sent: what is left out comes from the chart of the query. */
export type SentChart = { readonly [Field in keyof ChartConfig]?: ChartConfig[Field] | undefined };

/** As far as they are known without running the query. */
export function chartProblems(chart: SentChart, { current }: Query): readonly FieldProblem[] {
  const { definition, resultColumns } = current;
  const completed = completeChart(chart, definition.chart);
  const checked =
    completed.ok && resultColumns !== null
      ? withColumns(labelColumns(resultColumns, definition.columns), completed.value)
      : completed;
  return checked.ok || !('problems' in checked.failure) ? [] : checked.failure.problems;
}

/** The columns belong together: a caller that names one does not get the series of the query's chart. */
export function completeChart(sent: SentChart, own: QueryChart | undefined): Result<ChartConfig> {
  const { chartType, labelColumn, dataColumn, ...options } = definedFields(sent);
  const defaults = own === undefined ? chartConfigDefaults : configOfChart(own);
  const namesColumns = labelColumn !== undefined || dataColumn !== undefined || options.seriesColumn !== undefined;
  const chart = {
    ...defaults,
    ...(namesColumns ? { seriesColumn: null } : {}),
    ...(dataColumn === undefined ? {} : { moreDataColumns: [] }),
    ...definedFields({ chartType, labelColumn: labelColumn || undefined, dataColumn: dataColumn || undefined }),
    ...options,
  };
  if (isComplete(chart)) {
    if (chart.seriesColumn === null || chart.moreDataColumns.length === 0) return succeeded(chart);
    return failed(fieldInvalid('seriesColumn', 'A series column needs exactly one data column.'));
  }
  const required = ['chartType', 'labelColumn', 'dataColumn'] as const;
  return failed(inputRefused(required.filter((field) => !(field in chart)).map(missingFieldProblem)));
}

const isComplete = (chart: Partial<ChartConfig>): chart is ChartConfig =>
  chart.chartType !== undefined && chart.labelColumn !== undefined && chart.dataColumn !== undefined;
