import { timeZone, UTC } from '../../src/catalog/time-zone.ts';
import type { ChartColumn } from '../../src/charts/built-chart.ts';
import { createClockReader } from '../../src/charts/cell-values.ts';
import { collectChart, type DrawnConfig, emptyData } from '../../src/charts/summary/chart-data.ts';
import { dataColumnsOf } from '../../src/core/chart-config.ts';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import type { Row, SentParameter } from '../app/wire.ts';

/** A result that was run: its rows if they are all, otherwise the code by which the service reads them. */
export interface ChartSource {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly Row[];
  readonly code: string | null; // null: these are all rows
}

export interface CollectOptions {
  readonly allLabels: boolean; // also the smaller ones
  readonly zone: string; // of the service
}

/** Of the rows if they are all, otherwise by the service. */
export async function collectData(
  source: ChartSource,
  wanted: DrawnConfig,
  { allLabels, zone }: CollectOptions,
  signal: AbortSignal,
) {
  const { columns } = source;
  if (source.code === null) {
    const clockOf = createClockReader((timeZone(zone) ?? UTC).clockAt);
    return { collected: collectChart(columns, source.rows, wanted, { allLabels, clockOf }), columns, wanted };
  }
  try {
    const { drawing, Data: rows } = await askService(source, wanted, allLabels, signal);
    return { collected: { ...emptyData, ...drawing, rows }, columns, wanted };
  } catch (error) {
    const { code, message } = problemOf(error);
    if (code !== 'chart_too_large') throw error;
    const [head = '', ...advice] = message.split('. '); // as the service writes it
    return { collected: { ...emptyData, refusal: { head, advice: advice.join('. ') } }, columns, wanted };
  }
}

function askService({ queryName, parameters, code }: ChartSource, wanted: DrawnConfig, allLabels: boolean, signal: AbortSignal) {
  const { seriesColumn, dataColumn: _first, moreDataColumns: _more, ...sent } = wanted;
  const series = seriesColumn === null ? {} : { seriesColumn };
  const body = { QueryName: queryName, Parameters: parameters, ...sent, ...series, dataColumn: dataColumnsOf(wanted), allLabels };
  return call('POST /api/v1/ChartBuilder/Summary', { headers: { QueryMoreCode: code ?? undefined }, body }, { signal });
}
