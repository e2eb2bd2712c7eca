import type { ChartConfig } from '../../src/core/chart-config.ts';
import type { Query } from '../app/wire.ts';
import type { ChartColumns } from '../chart/chart-columns.ts';
import type { ParameterValues } from '../components/parameters/parameter-values.ts';
import { valuesFromUrl } from '../components/parameters/url-values.ts';
import type { SearchParams } from '../components/use-search-params.ts';
import { type ChartForm, configOf, type FormErrors, withColumns } from './chart-form.ts';
import { formFromUrl } from './chart-url.ts';

export type Step = 0 | 1 | 2;

export interface WizardState {
  readonly queryName: string | null;
  readonly step: Step;
  readonly values: ParameterValues;
  readonly missing: Readonly<Record<string, string>>; // errors of required parameters without a value
  readonly form: ChartForm;
  readonly formErrors: FormErrors;
  readonly config: ChartConfig | null; // of the generated chart
  readonly refusals: number; // each one moves the focus to the first invalid field
}

export type WizardEvent =
  | { readonly type: 'query-chosen'; readonly query: Query | null; readonly params: SearchParams }
  | { readonly type: 'values-changed'; readonly values: ParameterValues }
  | { readonly type: 'run-started'; readonly missing: Readonly<Record<string, string>> }
  | { readonly type: 'run-failed' }
  | {
      readonly type: 'rows-received';
      readonly queryName: string;
      readonly columns: ChartColumns;
      readonly draws: boolean; // shows the chart directly if the form fits the columns
    }
  | { readonly type: 'form-changed'; readonly fields: Partial<ChartForm> }
  | { readonly type: 'chart-requested' }
  | { readonly type: 'step-chosen'; readonly step: Step };

export const createInitialState = (query: Query | null, params: SearchParams): WizardState => ({
  queryName: query?.queryName ?? null,
  step: 0,
  values: valuesFromUrl(query?.parameters ?? [], params),
  missing: {},
  form: formFromUrl(params, query?.name ?? ''),
  formErrors: {},
  config: null,
  refusals: 0,
});

export function reduceWizard(state: WizardState, event: WizardEvent): WizardState {
  switch (event.type) {
    case 'query-chosen':
      return createInitialState(event.query, event.params);
    case 'values-changed':
      return { ...state, values: event.values, missing: {} };
    case 'run-started': {
      const { missing } = event;
      return { ...state, missing, refusals: state.refusals + (isEmpty(missing) ? 0 : 1) };
    }
    case 'run-failed':
      return { ...state, refusals: state.refusals + 1 };
    case 'rows-received':
      // the user may have chosen another query while this one was running
      return event.queryName === state.queryName ? withRows(state, event.columns, event.draws) : state;
    case 'form-changed': {
      const formErrors = omitErrors(state.formErrors, Object.keys(event.fields));
      return { ...state, form: { ...state.form, ...event.fields }, formErrors };
    }
    case 'chart-requested': {
      const made = configOf(state.form);
      if ('errors' in made) return { ...state, formErrors: made.errors, refusals: state.refusals + 1 };
      return { ...state, formErrors: {}, config: made.config, step: 2 };
    }
    case 'step-chosen':
      return { ...state, step: event.step };
  }
}

/** The last step that the user may go to without running or generating anything. */
export const findLastOpenStep = (hasRows: boolean, { config }: WizardState): Step => {
  if (!hasRows) return 0;
  return config === null ? 1 : 2;
};

function withRows(state: WizardState, columns: ChartColumns, draws: boolean): WizardState {
  const form = withColumns(state.form, columns);
  const fits = form.labelColumn === state.form.labelColumn && form.dataColumn === state.form.dataColumn;
  const made = draws && fits ? configOf(form) : null;
  if (made !== null && 'config' in made) return { ...state, form, formErrors: {}, config: made.config, step: 2 };
  return { ...state, form, formErrors: {}, step: state.step === 0 ? 1 : state.step };
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

const omitErrors = (errors: FormErrors, fields: readonly string[]): FormErrors =>
  Object.fromEntries(Object.entries(errors).filter(([field]) => !fields.includes(field)));
