import { useEffect, useMemo, useRef, useState } from 'react';
import type { ChartConfig } from '../../src/charts/chart-config.ts';
import type { Filters } from '../app/filters.ts';
import type { Query } from '../app/wire.ts';
import { type ChartColumns, chartColumnsOf } from '../chart/chart-columns.ts';
import { addressOfValues, valuesOfAddress } from '../components/address-values.ts';
import { errorsByField } from '../components/field-errors.ts';
import { missingParameters, type ParameterValues, sentParameters } from '../components/parameter-values.ts';
import { useFilters } from '../components/use-filters.ts';
import { type RunRequest, useRunChartQuery } from '../components/use-run-query.ts';
import { addressOfChart, formOfAddress, namesChart } from './chart-address.ts';
import { type ChartForm, configOf, type FormErrors, withColumns } from './chart-form.ts';
import type { EmbeddedChart } from './use-embed-link.ts';

export type Step = 0 | 1 | 2;

/** More than the service gives: it gives its own most then, as it draws in an embedded chart. */
const AS_MANY_AS_THERE_ARE = 1_000_000;

interface Wizard {
  readonly queryName: string | null;
  readonly step: Step;
  readonly values: ParameterValues;
  readonly missing: Readonly<Record<string, string>>;
  readonly form: ChartForm;
  readonly formErrors: FormErrors;
  readonly config: ChartConfig | null; // of the chart that was generated
  readonly refusals: number; // presses of a button that led to nothing but mistakes at fields
}

const begin = (query: Query | null, address: Filters): Wizard => ({
  queryName: query?.queryName ?? null,
  step: 0,
  values: valuesOfAddress(query?.parameters ?? [], address),
  missing: {},
  form: formOfAddress(address, query?.name ?? ''),
  formErrors: {},
  config: null,
  refusals: 0,
});

/** The state of the three steps. It is kept while one goes back and forth, and begins anew with another query. */
export function useChartWizard(query: Query | null) {
  const [filters, setFilters] = useFilters();
  const [wizard, setWizard] = useState(() => begin(query, filters));
  const run = useRunChartQuery();
  const { reset } = run;
  if (wizard.queryName !== (query?.queryName ?? null)) setWizard(begin(query, filters));
  // oxlint-disable-next-line react/exhaustive-deps -- what runs for another query is of no use any more
  useEffect(reset, [query?.queryName]);
  const own = run.request?.queryName === query?.queryName; // else of the query before
  const page = own ? run.page : null;
  const result = useMemo(() => (query === null || page === null ? null : chartColumnsOf(query, page)), [query, page]);

  /** Changes what belongs to this query; where another one was chosen meanwhile, nothing. */
  const change = (some: Partial<Wizard>): void =>
    setWizard((before) => (before.queryName === query?.queryName ? { ...before, ...some } : before));

  const refuse = (): void => setWizard((before) => ({ ...before, refusals: before.refusals + 1 }));

  /** `draws`: the chart follows at once, if it can be drawn of what came. */
  const runQuery = async (draws = false): Promise<void> => {
    if (query === null) return;
    const missing = missingParameters(query.parameters, wizard.values);
    change({ missing });
    if (Object.keys(missing).length > 0) return refuse();
    setFilters(addressOfValues(query.parameters, wizard.values));
    const parameters = sentParameters(query.parameters, wizard.values);
    const answer = await run.run({ queryName: query.queryName, parameters, rowSize: AS_MANY_AS_THERE_ARE });
    if (answer === null) return refuse();
    const columns: ChartColumns = chartColumnsOf(query, answer);
    setWizard((before) => (before.queryName === query.queryName ? afterRun(before, columns, draws) : before));
  };

  const resumed = useRef<string | null>(null);
  useEffect(() => {
    if (query === null || resumed.current === query.queryName) return;
    resumed.current = query.queryName;
    // the chart that the address names is drawn without a press; what changes data waits for one
    if (namesChart(filters) && query.epilogue === null) void runQuery(true);
    // oxlint-disable-next-line react/exhaustive-deps -- once for each query that comes, by a reload or a link
  }, [query?.queryName]);

  const generate = (): void => {
    const made = configOf(wizard.form);
    if ('errors' in made) {
      change({ formErrors: made.errors });
      refuse();
      return;
    }
    change({ formErrors: {}, config: made.config, step: 2 });
    setFilters(addressOfChart(made.config, query?.name ?? ''));
  };

  const problem = run.problem;
  return {
    ...wizard,
    run: { ...run, page, isRunning: run.state === 'running' },
    result,
    parameterErrors: { ...errorsByField(problem?.fields ?? []), ...wizard.missing },
    /** What a link would show: the chart with the parameters of the rows that it is drawn from. */
    chart: embeddedChart(page === null ? null : run.request, wizard.config),
    /** How far one may go without pressing anything. */
    reached: reachedBy(page !== null, wizard.config !== null),
    setValues: (values: ParameterValues) => change({ values, missing: {} }),
    setForm: (some: Partial<ChartForm>) =>
      change({ form: { ...wizard.form, ...some }, formErrors: without(wizard.formErrors, Object.keys(some)) }),
    goTo: (step: Step) => change({ step }),
    runQuery: () => runQuery(),
    /** The same call again, whatever the fields say by now. */
    refresh: () => (own && run.request !== null ? void run.run(run.request) : undefined),
    generate,
  };
}

function afterRun(before: Wizard, columns: ChartColumns, draws: boolean): Wizard {
  const form = withColumns(before.form, columns);
  const isSame = form.labelColumn === before.form.labelColumn && form.dataColumn === before.form.dataColumn;
  const made = draws && isSame ? configOf(form) : null;
  if (made !== null && 'config' in made) return { ...before, form, formErrors: {}, config: made.config, step: 2 };
  return { ...before, form, formErrors: {}, step: before.step === 0 ? 1 : before.step };
}

function embeddedChart(request: RunRequest | null, config: ChartConfig | null): EmbeddedChart | null {
  if (request === null || config === null) return null;
  return { queryName: request.queryName, parameters: request.parameters, config };
}

const reachedBy = (hasRows: boolean, hasChart: boolean): Step => {
  if (!hasRows) return 0;
  return hasChart ? 2 : 1;
};

export type ChartWizard = ReturnType<typeof useChartWizard>;

const without = (errors: FormErrors, fields: readonly string[]): FormErrors =>
  Object.fromEntries(Object.entries(errors).filter(([field]) => !fields.includes(field)));
