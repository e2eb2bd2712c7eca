import type { Query, QueryChart } from '../../catalog/query.ts';
import { configOfChart, resolveColumns } from '../../charts/suggest-chart.ts';
import { type ChartColumnNames, type ChartConfig, chartConfigDefaults } from '../../core/chart-config.ts';
import type { ColumnKind, LabeledColumn } from '../../core/column.ts';
import { definedFields } from '../../core/defined-fields.ts';
import {
  failed,
  fieldInvalid,
  type FieldProblem,
  inputRefused,
  missingFieldProblem,
  problemsOf,
  type Result,
  succeeded,
} from '../../core/errors.ts';
import { type ClassifiedColumn, labelColumns } from '../../results/columns.ts';

/** The chart of an embed as it was sent: what is left out comes from the chart of the query. */
export type SentChart = { readonly [Field in keyof ChartConfig]?: ChartConfig[Field] | undefined };

/** As far as they are known without running the query. */
export function chartProblems(chart: SentChart, { current }: Query): readonly FieldProblem[] {
  const { definition, resultColumns } = current;
  const completed = completeChart(chart, definition.chart);
  if (!completed.ok || resultColumns === null) return problemsOf(completed);
  return problemsOf(checkColumns(labelColumns(resultColumns, definition.columns), completed.value));
}

/** The nature is known once the query has run. */
type KnownColumn = LabeledColumn & Partial<Pick<ClassifiedColumn, 'nature'>>;

/** The chart with the names of its columns as the query has them. */
export function checkColumns<Chart extends ChartColumnNames & Pick<ChartConfig, 'timeUnit'>>(
  columns: readonly KnownColumn[],
  chart: Chart,
): Result<Chart> {
  const named = resolveColumns(columns, chart);
  const { labelColumn, timeUnit } = named.ok ? named.value : chart;
  const ofUnit = unitProblems(columns, labelColumn, timeUnit);
  if (ofUnit.length === 0) return named;
  return failed({ kind: 'FieldInvalid', problems: [...problemsOf(named), ...ofUnit] });
}

/** Only dates and times are grouped by a unit of time. */
export function unitProblems(
  columns: readonly KnownColumn[],
  labelColumn: string,
  timeUnit: ChartConfig['timeUnit'],
): readonly FieldProblem[] {
  const column = columns.find(({ label }) => label === labelColumn);
  if (timeUnit === 'auto' || timeUnit === 'none' || column === undefined || mayBeTime(column)) return [];
  const message = `The column ${JSON.stringify(labelColumn)} has no dates or times. Leave the unit out.`;
  return [{ field: 'timeUnit', message }];
}

const mayBeTime = ({ kind, nature }: KnownColumn): boolean => nature === 'time' || (nature === undefined && timeKinds.has(kind));

const timeKinds: ReadonlySet<ColumnKind> = new Set(['date', 'timestamp', 'timestamptz', 'undeclared']);

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
