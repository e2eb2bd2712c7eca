import type { EmbedParameters } from '../access/embed.ts';
import { MAX_EMBED_DAYS, type Embed, type EmbedTokens, embedExpired, createLifetime } from '../access/embed.ts';
import { has, type Principal } from '../access/principal.ts';
import type { SentValue } from '../catalog/parameter.ts';
import { withColumns } from '../charts/suggest-chart.ts';
import { type ChartConfig, columnsOf } from '../core/chart-config.ts';
import { filledFields } from '../core/defined-fields.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../core/errors.ts';
import { findByName } from '../pipeline/find-query.ts';
import type { RowQuota } from '../pipeline/limits/row-quota.ts';
import { labelColumns } from '../results/columns.ts';
import type { ListRequest, MetadataStore, Repositories } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { permissionDenied, isAdministrator } from './users/grant-rules.ts';

export interface EmbedParts {
  readonly store: Pick<MetadataStore, 'embeds' | 'users' | 'queries' | 'catalog' | 'databases'>;
  readonly tokens: EmbedTokens;
  readonly parameters: EmbedParameters;
  readonly findPicture: (embed: Embed) => string | null; // as SVG
  readonly now: () => number;
  /** Views count against no key: keys with a row limit get no token. */
  readonly rowQuota: Pick<RowQuota, 'limits'>;
}

export type Embeds = ReturnType<typeof createEmbeds>;

/** Users see, regenerate and revoke their own embeds, Administrators everyone's. */
export function createEmbeds(parts: EmbedParts) {
  const { store, tokens, now, rowQuota } = parts;
  const findReachable = async (actor: Principal, id: string, note: AuditNote): Promise<Result<Embed>> => {
    const embed = await store.embeds.get(id);
    if (embed === null || !(embed.userId === actor.userId || isAdministrator(actor))) return noEmbed;
    note.query = embed.queryName;
    note.parameters = { embed: id };
    return succeeded(embed);
  };
  return {
    async list(actor: Principal, request: ListRequest) {
      const own = isAdministrator(actor) ? {} : { userId: actor.userId };
      const { items, nextCursor } = await store.embeds.list({ ...request, ...own });
      const views = await Promise.all(items.map((embed) => embedView(parts, actor, embed)));
      return succeeded({ items: views, nextCursor });
    },
    /** The last picture of an embed, for its issuer who may still run the query: anyone else would see what only its link shows. */
    async picture(actor: Principal, id: string): Promise<Result<{ readonly svg: string | null }>> {
      const embed = await store.embeds.get(id);
      if (embed === null || embed.userId !== actor.userId || rowQuota.limits(actor)) return noEmbed;
      const runnable = await findByName(store, actor, embed.queryName, 'embed');
      return succeeded({ svg: runnable && parts.findPicture(embed) });
    },
    /** Issues a new token, which replaces the previous one. `days` left out: the same lifetime again. */
    async regenerate(actor: Principal, id: string, days: number | null | undefined, note: AuditNote) {
      const found = await findReachable(actor, id, note);
      if (!found.ok) return found;
      if (rowQuota.limits(actor)) return failed({ kind: 'KeyLimited' });
      if (!has(actor, 'embeds.create')) return permissionDenied('embeds.create');
      const lifetime = days === undefined ? found.value.days : days;
      if (!isLifetime(lifetime)) return failed(fieldInvalid('expirationDays', EXPECTED_DAYS));
      const issued = createLifetime(lifetime, now());
      note.parameters = { embed: id, days: issued.days };
      if (!(await store.embeds.reissue(id, issued))) return noEmbed;
      const embed = { ...found.value, ...issued };
      return succeeded({ embed, token: tokens.sign(embed) });
    },
    /** Changes lifetime and chart; the address stays. Rights as for regenerate; only the issuer chooses columns, with whose rights views run. */
    async change(
      actor: Principal,
      id: string,
      { days, chart: changes }: { readonly days?: number | null | undefined; readonly chart: Partial<ChartConfig> },
      note: AuditNote,
    ) {
      const found = await findReachable(actor, id, note);
      if (!found.ok) return found;
      const embed = found.value;
      if (rowQuota.limits(actor)) return failed({ kind: 'KeyLimited' });
      if (!has(actor, 'embeds.create')) return permissionDenied('embeds.create');
      if (days !== undefined && !isLifetime(days)) return failed(fieldInvalid('expirationDays', EXPECTED_DAYS));
      note.parameters = { embed: id, changed: Object.keys(changes), ...(days === undefined ? {} : { days }) };
      const names = columnsOf(embed.chart);
      const wanted = { ...embed.chart, ...changes };
      if (wanted.seriesColumn !== null && wanted.moreDataColumns.length > 0)
        return failed(fieldInvalid('options.seriesColumn', 'A series column needs exactly one data column.'));
      const isOther = columnsOf(wanted).some((name) => !names.includes(name));
      if (isOther && embed.userId !== actor.userId)
        return failed(fieldInvalid('options', 'Only the issuer of an embed can choose other columns.'));
      const query = isOther ? await store.queries.byQueryName(embed.queryName) : null;
      const { definition, resultColumns } = query?.current ?? { definition: null, resultColumns: null };
      const columns =
        definition && resultColumns ? labelColumns(resultColumns, definition.columns) : names.map((label) => ({ label }));
      const chart = withColumns(columns, wanted);
      if (!chart.ok) return chart;
      const { days: kept, expiresAt } = days === undefined ? embed : createLifetime(days, now());
      const changed = { ...embed, chart: chart.value, days: kept, expiresAt };
      return (await store.embeds.change(changed)) ? succeeded(await embedView(parts, actor, changed)) : noEmbed;
    },
    async revoke(actor: Principal, id: string, note: AuditNote): Promise<Result<null>> {
      const found = await findReachable(actor, id, note);
      if (!found.ok) return found;
      return (await store.embeds.delete(id)) ? succeeded(null) : noEmbed;
    },
  };
}

const EXPECTED_DAYS = `Expected a whole number of days from 1 to ${MAX_EMBED_DAYS}, or never.`;

const isLifetime = (days: number | null): boolean =>
  days === null || (Number.isInteger(days) && days >= 1 && days <= MAX_EMBED_DAYS);

const noEmbed = failed({ kind: 'NotFound', what: 'embed with this id' });

export type EmbedView = Awaited<ReturnType<typeof embedView>>;

async function embedView({ store, tokens, parameters, now, rowQuota }: EmbedParts, actor: Principal, embed: Embed) {
  const [issuer, query] = await Promise.all([store.users.get(embed.userId), store.queries.byQueryName(embed.queryName)]);
  const masked = new Set(query?.current.definition.parameters.filter((each) => each.masked === true).map(({ name }) => name));
  const shown = (parameters.open(embed) ?? []).map(({ ParameterName, Value }): [string, SentValue] => [
    ParameterName,
    masked.has(ParameterName) && Value != null ? '***' : (Value ?? null),
  ]);
  return {
    id: embed.id,
    queryName: embed.queryName,
    title: embed.chart.title,
    chart: embed.chart,
    parameters: Object.fromEntries(shown),
    issuer: issuer?.username ?? '',
    createdAt: isoTime(embed.createdAt),
    issuedAt: isoTime(embed.issuedAt),
    expirationDays: embed.days,
    expiresAt: isoTime(embed.expiresAt),
    state: embedExpired(embed, now()) ? ('expired' as const) : ('valid' as const),
    views: embed.views,
    lastViewedAt: isoTime(embed.lastViewedAt),
    // shown to its issuer only: anyone who has it sees the chart
    token: embed.userId === actor.userId && !rowQuota.limits(actor) ? tokens.sign(embed) : null,
  };
}

const PAGE = 500;

/**
 * Seals parameter values of embeds with the newest secret: all of them, or only those stored unsealed by earlier versions.
 * Returns how many.
 */
export async function sealEmbeds(
  { embeds }: Pick<Repositories, 'embeds'>,
  parameters: EmbedParameters,
  which: 'all' | 'open',
): Promise<number> {
  let sealed = 0;
  let cursor: string | null | undefined;
  do {
    const page = await embeds.list({ limit: PAGE, ...filledFields({ cursor }) });
    for (const embed of page.items) {
      const opened = needsSealing(embed, which) ? parameters.open(embed) : null;
      if (opened === null) continue; // sealed under a secret that no longer exists
      await embeds.keepParameters(embed.id, parameters.seal(embed.id, opened));
      sealed++;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return sealed;
}

const needsSealing = ({ parameters }: Embed, which: 'all' | 'open'): boolean =>
  typeof parameters === 'string' ? which === 'all' : parameters.length > 0;
