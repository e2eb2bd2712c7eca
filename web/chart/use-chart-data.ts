import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChartConfig } from '../../src/core/chart-config.ts';
import { useSession } from '../app/session.tsx';
import type { Row } from '../app/wire.ts';
import type { ChartSource } from './collect-data.ts';
import type { ChartContent } from './interactive-chart.ts';

export interface DrawnChart {
  readonly content: ChartContent | null; // null: not loaded yet
  readonly isLoading: boolean;
  readonly error: unknown;
}

/** What a chart draws of all rows of a result. The last drawing stays while the next one is collected; the query does not run again. */
export function useChartData(source: ChartSource | null, config: ChartConfig | null, allLabels = false): DrawnChart {
  const { session } = useSession();
  const { timeZone: zone } = session;
  const wanted = config === null ? null : pickDrawn(config);
  const { data, error, isFetching } = useQuery({
    queryKey: ['chart data', source?.code ?? idOf(source?.rows), wanted, allLabels],
    queryFn: async ({ signal }) => {
      const { collectData } = await import('./collect-data.ts'); // with the chart, not with its page
      return source === null || wanted === null ? null : collectData(source, wanted, { allLabels, zone }, signal);
    },
    enabled: source !== null && wanted !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const content = useMemo(
    () =>
      config === null || data == null
        ? null
        : { columns: data.columns, data: data.collected, config: { ...config, ...data.wanted } },
    [config, data],
  );
  return { content, isLoading: isFetching, error };
}

const ids = new WeakMap<readonly Row[], number>();
let lastId = 0;

/** Rows that are all known have no code. */
function idOf(rows: readonly Row[] | undefined): number | null {
  if (rows === undefined) return null;
  if (!ids.has(rows)) ids.set(rows, ++lastId);
  return ids.get(rows) ?? null;
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
