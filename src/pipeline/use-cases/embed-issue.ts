import { randomUUID } from 'node:crypto';
import { has } from '../../access/principal.ts';
import { createLifetime, type Embed, type EmbedViewer, type ShareParameters, type ShareTokens } from '../../access/share.ts';
import { readOpen } from '../../catalog/open-parameters.ts';
import { withDeclaredNames } from '../../catalog/parameter.ts';
import type { LabeledColumn } from '../../core/column.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { labelColumns } from '../../results/columns.ts';
import type { MetadataStore } from '../../store/metadata-store.ts';
import type { Authorized, RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { nameAsCalled } from '../find-query.ts';
import type { RowQuota } from '../limits/row-quota.ts';
import { checkColumns, completeChart, type SentChart } from '../steps/embed-chart.ts';
import type { Execute } from '../steps/execute.ts';

export interface EmbedForm extends RunForm {
  readonly checkedChart: SentChart; // what is left out comes from the chart of the query
  readonly days: number | null; // null: never expires
  readonly viewer: EmbedViewer;
  readonly sentOpen: readonly string[];
}

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
  readonly tokens: ShareTokens;
  readonly parameters: ShareParameters;
  readonly now: () => number;
}

/** Stores a chart of a query that the caller may run, and issues the token that shows it to others. */
export function createIssueEmbed(parts: IssueEmbedParts): IssueEmbed {
  return (call, readForm) =>
    parts.deliver({ call, action: 'embed.create', form: readForm }, async (authorized) => {
      const { form, principal, query, draft } = authorized;
      const { authentication } = principal;
      if (authentication.kind === 'key' && authentication.queries !== null) return failed({ kind: 'CredentialNotSuitable' });
      if (parts.rowQuota.limits(principal)) return failed({ kind: 'KeyLimited' });
      if (!has(principal, 'embeds.create')) return failed({ kind: 'PermissionDenied', permission: 'embeds.create' });
      if (query.current.definition.epilogue !== undefined) return failed({ kind: 'StateConflict', reason: WRITES });
      const open = readOpen(query.current.definition.parameters, form.sentOpen);
      if (!open.ok) return open;
      const completed = completeChart(form.checkedChart, query.current.definition.chart);
      if (!completed.ok) return completed;
      const columns = await columnsOf(parts, authorized);
      if (!columns.ok) return columns;
      const chart = checkColumns(columns.value, completed.value);
      if (!chart.ok) return chart;

      if ((await parts.store.embeds.countOf(principal.userId)) >= MAX_EMBEDS)
        return failed({ kind: 'LimitReached', reason: TOO_MANY });
      const at = parts.now();
      const id = randomUUID();
      const embed: Embed = {
        id,
        userId: principal.userId,
        queryName: nameAsCalled(authorized),
        // under their declared names, by which they are masked when the embed is shown
        parameters: parts.parameters.seal(id, withDeclaredNames(query.current.definition.parameters, form.parameters)),
        ...{ viewer: form.viewer, open: open.value },
        chart: { ...chart.value, title: form.checkedChart.title ?? (chart.value.title || query.current.definition.name) },
        ...createLifetime(form.days, at),
        createdAt: at,
        views: 0,
        lastViewedAt: null,
      };
      draft.parameters = { ...draft.parameters, embed: id, days: embed.days };
      if (form.viewer === 'signed') draft.parameters.viewer = form.viewer;
      if (open.value.length > 0) draft.parameters.open = open.value;
      await parts.store.embeds.insert(embed);
      return succeeded({ embed, token: parts.tokens.sign(embed) });
    });
}

const MAX_EMBEDS = 1000; // per user
const TOO_MANY = `You have ${MAX_EMBEDS} embeds, as many as a user may have. Delete those that are not used any more.`;

/** Viewing an embed must not change data. */
const WRITES = 'The query has an Epilogue: each view of its chart would change data. Embed a query without one.';

/** The columns found by the validation; without a validation, the query is run to determine them. */
async function columnsOf(parts: IssueEmbedParts, authorized: Authorized<EmbedForm>): Promise<Result<readonly LabeledColumn[]>> {
  const { definition, resultColumns } = authorized.query.current;
  if (resultColumns !== null) return succeeded(labelColumns(resultColumns, definition.columns));
  const execution = await parts.execute(authorized);
  if (!execution.ok) return execution;
  const { rows } = execution.value;
  await rows.close().catch(() => undefined); // only its columns are needed
  return succeeded(labelColumns(rows.columns, definition.columns));
}
