import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChartColumn } from '../../src/charts/built-chart.ts';
import { collectChart, type DrawnConfig, emptyData } from '../../src/charts/summary/chart-data.ts';
import { type ChartConfig, dataColumnsOf } from '../../src/core/chart-config.ts';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import type { Row, SentParameter } from '../app/wire.ts';
import type { ChartContent } from './interactive-chart.ts';

/** A result that was run: its rows if they are all, otherwise the code by which the service reads them. */
export interface ChartSource {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly Row[];
  readonly code: string | null; // null: these are all rows
}

export interface DrawnChart {
  readonly content: ChartContent | null; // null: not loaded yet
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** What a chart draws of all rows of a result. The last drawing stays while the next one is collected; the query does not run again. */
export function useChartData(source: ChartSource | null, config: ChartConfig | null, allLabels = false): DrawnChart {
  const isLocal = source?.code === null;
  const wanted = useMemo(() => (config === null ? null : pickDrawn(config)), [config]);
  const key = JSON.stringify([wanted, allLabels]);
  const local = useMemo(
    () =>
      source === null || !isLocal || wanted === null ? null : collectChart(source.columns, source.rows, wanted, { allLabels }),
    // oxlint-disable-next-line react/exhaustive-deps -- the key says what is wanted
    [source, isLocal, key],
  );
  const remote = useQuery({
    queryKey: ['chart data', source?.code, key],
    queryFn: ({ signal }) => (source === null || wanted === null ? null : askService(source, wanted, allLabels, signal)),
    enabled: source !== null && !isLocal && wanted !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const collected = isLocal ? local && wanted && { data: local, wanted } : (remote.data ?? null);
  const columns = source?.columns;
  const content = useMemo(
    () =>
      config === null || columns === undefined || collected === null
        ? null
        : { columns, data: collected.data, config: { ...config, ...collected.wanted } },
    // oxlint-disable-next-line react/exhaustive-deps -- `collected` is new on every render of a local chart
    [config, columns, collected?.data],
  );
  return { content, isLoading: !isLocal && remote.isFetching, error: isLocal ? null : remote.error };
}

const pickDrawn = ({
  chartType,
  labelColumn,
  dataColumn,
  moreDataColumns,
  seriesColumn,
  aggregate,
  sortBy,
  timeUnit,
}: ChartConfig) => ({
  ...{ chartType, labelColumn, dataColumn, moreDataColumns, seriesColumn, aggregate, sortBy, timeUnit },
});

async function askService(
  { queryName, parameters, code }: ChartSource,
  wanted: DrawnConfig,
  allLabels: boolean,
  signal: AbortSignal,
) {
  const { seriesColumn, dataColumn: _first, moreDataColumns: _more, ...sent } = wanted;
  const series = seriesColumn === null ? {} : { seriesColumn };
  const body = { QueryName: queryName, Parameters: parameters, ...sent, ...series, dataColumn: dataColumnsOf(wanted), allLabels };
  try {
    const response = await call(
      'POST /api/v1/ChartBuilder/Summary',
      { headers: { QueryMoreCode: code ?? undefined }, body },
      { signal },
    );
    return { data: { ...emptyData, ...response.drawing, rows: response.Data }, wanted };
  } catch (error) {
    const { code: problem, message } = problemOf(error);
    if (problem !== 'chart_too_large') throw error;
    return { data: { ...emptyData, refusal: { head: 'This chart cannot be drawn', advice: message } }, wanted };
  }
}
