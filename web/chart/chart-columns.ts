import { type ChartColumn, toChartColumn } from '../../src/charts/built-chart.ts';
import { classifyColumns } from '../../src/charts/classify.ts';
import { chartSettings } from '../../src/charts/suggest-chart.ts';
import type { ChartConfig } from '../../src/core/chart-config.ts';
import type { ColumnKind, LabeledColumn } from '../../src/core/column.ts';
import type { ClassifiedColumn, ColumnClass, ValuesSeen } from '../../src/results/columns.ts';
import type { ChartPage, Query, Row } from '../app/wire.ts';

export interface ChartColumns {
  readonly columns: readonly ChartColumn[];
  /** The chart at first: that of the query, or a suggestion. Null: the rows are a list, which is shown as a table. */
  readonly settings: ChartConfig | null;
}

/**
 * The columns of a response. Their class comes from the response. The rest is derived from the validated query by the same rules as
 * in embedded charts, so that both look the same.
 */
export function chartColumnsOf(query: Query, { Columns, Data }: ChartPage): ChartColumns {
  const labeled = Columns.map(({ Name }) => toLabeledColumn(query, Name));
  const seen = Columns.map(({ Name, Type }) => valuesSeen(Data, Name, Type));
  const classified = classifyColumns(labeled, query.columns, seen).map((column, index) =>
    as(column, Columns[index]?.Type ?? column.class),
  );
  const columns = classified.map(toChartColumn);
  return { columns, settings: chartSettings(query.chart, columns, Data) };
}

function toLabeledColumn(query: Query, label: string): LabeledColumn {
  const found = query.resultColumns?.find((column) => column.label === label);
  return {
    name: found?.name ?? label,
    label,
    type: found?.type ?? '',
    kind: kinds.find((kind) => kind === found?.kind) ?? 'undeclared',
    ...(found?.format && { format: found.format }),
  };
}

/** The query may have changed since it was loaded: the response takes precedence. */
const as = (column: ClassifiedColumn, columnClass: ColumnClass): ClassifiedColumn =>
  column.class === columnClass
    ? column
    : { ...column, class: columnClass, nature: columnClass === 'numeric' ? 'number' : 'text' };

/** For columns without a declared type, which the service classifies by their values. */
function valuesSeen(rows: readonly Row[], name: string, columnClass: ColumnClass): ValuesSeen {
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  if (values.length === 0) return 'nothing';
  if (columnClass === 'numeric') return values.every((value) => Number.isInteger(value)) ? 'whole numbers' : 'numbers';
  return values.every((value) => typeof value === 'boolean') ? 'booleans' : 'others';
}

const kinds: readonly ColumnKind[] = [
  'integer',
  'decimal',
  'float',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'interval',
  'text',
  'uuid',
  'json',
  'binary',
  'other',
];
