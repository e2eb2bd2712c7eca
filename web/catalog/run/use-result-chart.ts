import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChartPage, Query, Row } from '../../app/wire.ts';
import { chartColumnsOf } from '../../chart/chart-columns.ts';
import { type DrawnChart, useChartData } from '../../chart/use-chart-data.ts';
import { readChartPage } from '../../components/run/use-run-query.ts';
import type { ShownResult } from '../../grid/shown-result.ts';

/** The chart of a result that has been run: its author's, or the suggested one. The query does not run again. */
export function useResultChart(
  query: Query,
  shown: ShownResult,
  allLabels: boolean,
): DrawnChart & { readonly hasChart: boolean } {
  const { queryName, parameters, code, page } = shown;
  const isWhole = shown.firstRow === 0 && shown.totalRows === page.Data.length;
  const first = useQuery({
    queryKey: ['result chart', code],
    queryFn: ({ signal }) => readChartPage({ queryName, parameters, rowIndex: 0, queryMoreCode: code }, signal),
    enabled: !isWhole,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const drawn = useMemo(() => (isWhole ? withColumns(query, page) : (first.data ?? null)), [isWhole, query, page, first.data]);
  const chart = useMemo(() => (drawn === null ? null : chartColumnsOf(query, drawn)), [query, drawn]);
  const source = useMemo(
    () =>
      drawn === null || chart === null
        ? null
        : { queryName, parameters, columns: chart.columns, rows: drawn.Data, code: isWhole ? null : code },
    [drawn, chart, isWhole, queryName, parameters, code],
  );
  const collected = useChartData(source, chart?.settings ?? null, allLabels);
  return {
    content: collected.content,
    hasChart: chart === null || chart.settings !== null,
    isLoading: first.isLoading || (collected.isLoading && collected.content === null),
    error: first.error ?? collected.error,
  };
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
