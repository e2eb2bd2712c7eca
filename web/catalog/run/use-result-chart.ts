import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { notes } from '../../../src/charts/notes.ts';
import { type ChartConfig, dataColumnsOf, ofRows } from '../../../src/core/chart-config.ts';
import { call } from '../../app/api.ts';
import type { ChartPage, Query, Row } from '../../app/wire.ts';
import { chartColumnsOf } from '../../chart/chart-columns.ts';
import type { ChartContent } from '../../chart/interactive-chart.ts';
import { partsOf, readChartPage } from '../../components/run/use-run-query.ts';
import type { ShownResult } from '../../grid/use-result-pages.ts';

export interface ResultChart {
  readonly content: ChartContent | null; // null: not loaded yet, or no chart suits the result
  readonly more: readonly string[]; // notes
  readonly totalRows: number | null; // reported with the chart
  readonly isLoading: boolean;
  readonly error: unknown;
}

const none: readonly string[] = [];

/** The chart of a result that has been run: of its rows, or grouped by the service by its code. The query does not run again. */
export function useResultChart(query: Query, shown: ShownResult): ResultChart {
  const { queryName, parameters, code, page } = shown;
  const isWhole = shown.firstRow === 0 && shown.totalRows === page.Data.length;
  const request = { queryName, parameters, rowIndex: 0, queryMoreCode: code };
  const first = useQuery({
    queryKey: ['result chart', code],
    queryFn: ({ signal }) => readChartPage(request, signal),
    enabled: !isWhole,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const drawn = useMemo(() => (isWhole ? withColumns(query, page) : (first.data ?? null)), [isWhole, query, page, first.data]);
  const chart = useMemo(() => (drawn === null ? null : chartColumnsOf(query, drawn)), [query, drawn]);
  const config = chart?.settings ?? null;
  const summary = useQuery({
    queryKey: ['result chart', code, config],
    queryFn: ({ signal }) => summarise(request, config, signal),
    enabled: !isWhole && config !== null && groups(config),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const grouped = summary.data ?? null;
  const content = useMemo((): ChartContent | null => {
    if (chart === null || drawn === null || config === null) return null;
    if (isWhole || !groups(config)) return { columns: chart.columns, rows: drawn.Data, config };
    if (grouped === null) return null;
    // one row for each label and series: nothing is left to group
    return { columns: chart.columns, rows: grouped.Data, config: { ...config, aggregate: 'none' } };
  }, [chart, drawn, config, isWhole, grouped]);
  const more = useMemo(
    () => (isWhole || drawn === null || config === null || groups(config) ? none : [notes.onlyFirst(drawn.Data.length)]),
    [isWhole, drawn, config],
  );
  return {
    content,
    more,
    totalRows: grouped?.rowsRead ?? null,
    isLoading: first.isLoading || summary.isLoading,
    error: first.error ?? summary.error,
  };
}

const groups = ({ aggregate, chartType }: ChartConfig): boolean => aggregate !== 'none' && !ofRows.has(chartType);

function summarise(request: Parameters<typeof partsOf>[0], config: ChartConfig | null, signal: AbortSignal) {
  if (config === null || config.aggregate === 'none') return null;
  const { labelColumn, seriesColumn, aggregate, sortBy } = config;
  const { body, headers } = partsOf(request);
  const columns = { labelColumn, dataColumn: dataColumnsOf(config), ...(seriesColumn === null ? {} : { seriesColumn }) };
  return call('POST /api/v1/ChartBuilder/Summary', { headers, body: { ...body, ...columns, aggregate, sortBy } }, { signal });
}

/** The classes of the columns, as ChartBuilder returns them. */
function withColumns({ resultColumns }: Query, page: ShownResult['page']): ChartPage {
  const names = resultColumns?.map(({ label }) => label) ?? Object.keys(page.Data[0] ?? {});
  const classOf = (name: string) => {
    const declared = resultColumns?.find(({ label }) => label === name);
    if (declared !== undefined && declared.kind !== 'undeclared') return declared.class;
    return page.Data.some((row: Row) => typeof row[name] === 'number') ? 'numeric' : 'categorical';
  };
  return { ...page, Columns: names.map((name) => ({ Name: name, Type: classOf(name) })) };
}
