import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { ChartConfig } from '../../src/core/chart-config.ts';
import { useSession } from '../app/session.tsx';
import type { ChartPage, Query } from '../app/wire.ts';
import { type ChartColumns, chartColumnsOf } from '../chart/chart-columns.ts';
import type { ChartSource } from '../chart/collect-data.ts';
import { useChartData } from '../chart/use-chart-data.ts';
import { errorsByField } from '../components/fields/field-errors.ts';
import { findMissing, type ParameterValues, toSentParameters } from '../components/parameters/parameter-values.ts';
import { urlOfValues } from '../components/parameters/url-values.ts';
import { rememberDrawnChart } from '../components/run/drawn-charts.ts';
import { keepResult } from '../components/run/last-results.ts';
import { takeShown } from '../components/run/shown-result.ts';
import { type RunRequest, useRunChartQuery } from '../components/run/use-run-query.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { type ChartForm, configOf } from './chart-form.ts';
import { urlOfChart, hasChart } from './chart-url.ts';
import type { EmbeddedChart } from './use-embed-link.ts';
import { createInitialState, findLastOpenStep, reduceWizard, type Step } from './wizard-state.ts';

/** Above the service's limit, so that it returns as many rows as it draws in an embedded chart. */
const ROW_SIZE = 1_000_000;

/** The state of the three steps. It is kept when the user goes back and forth, and reset when another query is chosen. */
export function useChartWizard(query: Query | null) {
  const [params, setParams] = useSearchParams();
  const [state, dispatch] = useReducer(reduceWizard, null, () => createInitialState(query, params));
  const run = useRunChartQuery();
  const { reset } = run;
  if (state.queryName !== (query?.queryName ?? null)) dispatch({ type: 'query-chosen', query, params });
  // oxlint-disable-next-line react/exhaustive-deps -- resets the run only when another query is chosen
  useEffect(reset, [query?.queryName]);
  const isOwnRun = run.request?.queryName === query?.queryName; // false: the run of the query chosen before
  const page = isOwnRun ? run.page : null;
  const result = useMemo(() => (query === null || page === null ? null : chartColumnsOf(query, page)), [query, page]);

  const source = useMemo(
    () => (page === null || result === null || run.request === null ? null : toSource(run.request, page, result)),
    [page, result, run.request],
  );
  const [allLabels, setAllLabels] = useState(false);
  const { config } = state;
  const ownChart = query?.chart == null ? null : (result?.settings ?? null);
  const drawn = useChartData(source, config ?? ownChart, allLabels);
  const { id: userId } = useSession().session;
  useEffect(() => {
    if (query === null || page === null || result === null) return;
    const { Data: rows, QueryMoreCode } = page;
    if (config !== null) rememberDrawnChart(userId);
    keepResult(userId, { query, rows, totalRows: QueryMoreCode === null ? rows.length : null, chart: drawn.content });
  }, [userId, query, page, result, config, drawn.content]);

  const runQuery = async (draws: boolean): Promise<void> => {
    if (query === null) return;
    const missing = findMissing(query.parameters, state.values);
    dispatch({ type: 'run-started', missing });
    if (Object.keys(missing).length > 0) return;
    setParams(urlOfValues(query.parameters, state.values));
    const parameters = toSentParameters(query.parameters, state.values);
    const { queryName } = query;
    const received = await run.run({ queryName, parameters, rowSize: ROW_SIZE });
    if (received === null) dispatch({ type: 'run-failed' });
    else dispatch({ type: 'rows-received', queryName, columns: chartColumnsOf(query, received), draws });
  };

  const keptValues = params.embed === undefined || query === null ? [] : listMasked(query);
  const resumed = useRef<string | null>(null);
  useEffect(() => {
    if (query === null || resumed.current === query.queryName) return;
    resumed.current = query.queryName;
    // draws the chart in the URL without a press of Run Query, unless the query changes data or an embed keeps a value to itself
    if (hasChart(params) && query.epilogue === null && keptValues.length === 0) return void runQuery(true);
    const parameters = toSentParameters(query.parameters, state.values);
    const page = takeShown(query, parameters);
    if (page === null) return;
    const { queryName } = query;
    run.adopt({ queryName, parameters, rowSize: page.RowSize }, page);
    dispatch({ type: 'rows-received', queryName, columns: chartColumnsOf(query, page), draws: false });
    // oxlint-disable-next-line react/exhaustive-deps -- once for each query
  }, [query?.queryName]);

  return {
    ...state,
    run: { ...run, page, isRunning: run.state === 'running' },
    result,
    source,
    drawn,
    showAllLabels: () => setAllLabels(true),
    isEdit: params.embed !== undefined,
    /** Parameters whose values the edited embed keeps and nobody is shown. */
    keptValues,
    parameterErrors: { ...errorsByField(run.problem?.fields ?? []), ...state.missing },
    /** The chart that an embed link shows, with the parameters of its rows. */
    chart: toEmbeddedChart(page === null ? null : run.request, state.config),
    lastOpenStep: findLastOpenStep(page !== null, state),
    setValues: (values: ParameterValues) => dispatch({ type: 'values-changed', values }),
    setForm: (fields: Partial<ChartForm>) => dispatch({ type: 'form-changed', fields }),
    goTo: (step: Step) => dispatch({ type: 'step-chosen', step }),
    runQuery: () => runQuery(false),
    /** Runs the last call again, whatever the fields contain by now. */
    refresh: () => (isOwnRun && run.request !== null ? void run.run(run.request) : undefined),
    generate: () => {
      dispatch({ type: 'chart-requested' });
      const made = configOf(state.form);
      if ('config' in made) setParams(urlOfChart(made.config, query?.name ?? ''));
    },
  };
}

const toSource = (
  { queryName, parameters }: RunRequest,
  { Data, QueryMoreCode }: ChartPage,
  { columns }: ChartColumns,
): ChartSource => ({
  ...{ queryName, parameters, columns },
  rows: Data,
  code: QueryMoreCode,
});

const listMasked = ({ parameters }: Query): readonly string[] =>
  parameters.filter(({ masked }) => masked === true).map(({ name }) => name);

export type ChartWizard = ReturnType<typeof useChartWizard>;

function toEmbeddedChart(request: RunRequest | null, config: ChartConfig | null): EmbeddedChart | null {
  if (request === null || config === null) return null;
  return { queryName: request.queryName, parameters: request.parameters, config };
}
