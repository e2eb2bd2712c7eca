import type { EmbedParameters } from '../../access/embeds/embed-parameters.ts';
import { type Embed, type EmbedTokens, issuedFor } from '../../access/embeds/embed-token.ts';
import { has } from '../../access/principal.ts';
import { withDeclaredNames } from '../../catalog/parameter.ts';
import type { Query, QueryChart, QueryDefinition } from '../../catalog/query.ts';
import { withColumns } from '../../charts/name-columns.ts';
import { configOfChart } from '../../charts/suggest-chart.ts';
import { type ChartConfig, chartConfigDefaults } from '../../core/chart-config.ts';
import type { Column } from '../../core/column.ts';
import { type FieldProblem, failed, fieldInvalid, inputRefused, missingField, type Result, succeeded } from '../../errors.ts';
import { labelColumns } from '../../results/labels.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Call } from '../call.ts';
import type { Authorised, Deliver, QueryForm } from '../deliver.ts';
import type { Execute } from '../steps/execute.ts';
import type { RowQuota } from '../steps/row-quota.ts';

export interface EmbedForm extends QueryForm {
  readonly chart: SentChart; // what is left out comes from the chart of the query
  readonly days: number | null; // null: never expires
}

export type SentChart = { readonly [Field in keyof ChartConfig]?: ChartConfig[Field] | undefined };

export interface IssuedEmbed {
  readonly embed: Embed;
  readonly token: string;
}

export type IssueEmbed = (call: Call, form: () => Result<EmbedForm>) => Promise<Result<IssuedEmbed>>;

export interface IssueEmbedParts {
  readonly deliver: Deliver;
  readonly execute: Execute;
  readonly rowQuota: Pick<RowQuota, 'limits'>;
  readonly store: Pick<MetadataStore, 'embeds'>;
  readonly tokens: EmbedTokens;
  readonly parameters: EmbedParameters;
  readonly now: () => number;
  readonly newId: () => string; // a UUID
}

/** Stores a chart of a query that the caller may run, and issues the token that shows it to others. */
export function createIssueEmbed(parts: IssueEmbedParts): IssueEmbed {
  return (call, readForm) =>
    parts.deliver({ call, action: 'embed.create', form: readForm, problemsOf: chartProblems }, async (authorised) => {
      const { form, principal, query, draft } = authorised;
      const { means } = principal;
      if (means.kind === 'key' && means.queries !== null) return failed({ kind: 'CredentialNotSuitable' });
      if (parts.rowQuota.limits(principal)) return failed({ kind: 'KeyLimited' });
      if (!has(principal, 'embeds.create')) return failed({ kind: 'PermissionDenied', permission: 'embeds.create' });
      if (query.current.definition.epilogue !== undefined) return failed({ kind: 'StateConflict', reason: WRITES });
      const completed = completeChart(form.chart, query.current.definition.chart);
      if (!completed.ok) return completed;
      const columns = await columnsOf(parts, authorised);
      if (!columns.ok) return columns;
      const chart = withColumns(columns.value, completed.value);
      if (!chart.ok) return chart;

      if ((await parts.store.embeds.countOf(principal.userId)) >= MAX_EMBEDS)
        return failed({ kind: 'LimitReached', reason: TOO_MANY });
      const at = parts.now();
      const id = parts.newId();
      const embed: Embed = {
        id,
        userId: principal.userId,
        queryName: query.queryName,
        // under their declared names, by which they are masked when the embed is shown
        parameters: parts.parameters.seal(id, withDeclaredNames(query.current.definition.parameters, form.parameters)),
        chart: chart.value,
        ...issuedFor(form.days, at),
        createdAt: at,
        views: 0,
        lastViewedAt: null,
      };
      draft.parameters = { ...draft.parameters, embed: embed.id, days: embed.days };
      await parts.store.embeds.insert(embed);
      return succeeded({ embed, token: parts.tokens.sign(embed) });
    });
}

const MAX_EMBEDS = 1000; // per user
const TOO_MANY = `You have ${MAX_EMBEDS} embeds, as many as a user may have. Delete those that are not used any more.`;

/** Viewing an embed must not change data. */
const WRITES = 'The query has an Epilogue: each view of its chart would change data. Embed a query without one.';

/** As far as they are known without running the query. */
function chartProblems({ chart }: EmbedForm, { current }: Query): readonly FieldProblem[] {
  const { definition, resultColumns } = current;
  const completed = completeChart(chart, definition.chart);
  const checked =
    completed.ok && resultColumns !== null ? withColumns(labelsOf(resultColumns, definition), completed.value) : completed;
  return checked.ok || !('problems' in checked.failure) ? [] : checked.failure.problems;
}

/** The columns belong together: a caller that names one does not get the series of the query's chart. */
function completeChart(sent: SentChart, own: QueryChart | undefined): Result<ChartConfig> {
  const { chartType, labelColumn, dataColumn, ...options } = given(sent);
  const defaults = own === undefined ? chartConfigDefaults : configOfChart(own);
  const namesColumns = labelColumn !== undefined || dataColumn !== undefined || options.seriesColumn !== undefined;
  const chart = {
    ...defaults,
    ...(namesColumns ? { seriesColumn: null } : {}),
    ...(dataColumn === undefined ? {} : { moreDataColumns: [] }),
    ...given({ chartType, labelColumn: labelColumn || undefined, dataColumn: dataColumn || undefined }),
    ...options,
  };
  if (isComplete(chart)) {
    if (chart.seriesColumn === null || chart.moreDataColumns.length === 0) return succeeded(chart);
    return failed(fieldInvalid('seriesColumn', 'A series column needs exactly one data column.'));
  }
  const required = ['chartType', 'labelColumn', 'dataColumn'] as const;
  return failed(inputRefused(required.filter((field) => !(field in chart)).map(missingField)));
}

const isComplete = (chart: Partial<ChartConfig>): chart is ChartConfig =>
  chart.chartType !== undefined && chart.labelColumn !== undefined && chart.dataColumn !== undefined;

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;

/** As discovered by the validation; without one, the query is run to find out. */
async function columnsOf(parts: IssueEmbedParts, authorised: Authorised<EmbedForm>): Promise<Result<readonly string[]>> {
  const { definition, resultColumns } = authorised.query.current;
  if (resultColumns !== null) return succeeded(labelsOf(resultColumns, definition));
  const execution = await parts.execute(authorised);
  if (!execution.ok) return execution;
  const { rows } = execution.value;
  await rows.close().catch(() => undefined); // only its columns are needed
  return succeeded(labelsOf(rows.columns, definition));
}

const labelsOf = (columns: readonly Column[], definition: QueryDefinition): readonly string[] =>
  labelColumns(columns, definition.columns).map(({ label }) => label);
