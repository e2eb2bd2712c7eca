import { type ChartConfig, dataColumnsOf, ofRows } from '../core/chart-config.ts';
import { cellText } from '../core/column-format.ts';
import type { ChartColumn } from './built-chart.ts';
import { boxText, isBox } from './summary/boxes.ts';

/** A cell of the table beside a chart. Counts have no format, whatever was counted. */
export function tableText(value: unknown, column: ChartColumn | undefined, config: Measures): string {
  if (isBox(value)) return boxText(value, column?.format);
  const isCount = config.aggregate === 'count' && !ofRows.has(config.chartType);
  const isCounted =
    isCount && column !== undefined && column.name !== config.labelColumn && dataColumnsOf(config).includes(column.name);
  return cellText(value, isCounted ? undefined : column?.format);
}

type Measures = Pick<ChartConfig, 'aggregate' | 'chartType' | 'labelColumn' | 'dataColumn' | 'moreDataColumns'>;
