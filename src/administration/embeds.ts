import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '../access/principal.ts';
import { createLifetime, type Embed } from '../access/share.ts';
import { readOpen } from '../catalog/open-parameters.ts';
import { resolveColumns } from '../charts/suggest-chart.ts';
import { type ChartConfig, columnsOf } from '../core/chart-config.ts';
import { definedFields } from '../core/defined-fields.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../core/errors.ts';
import { findQuery, readNamedVersion } from '../pipeline/find-query.ts';
import { checkColumns } from '../pipeline/steps/embed-chart.ts';
import { labelColumns } from '../results/columns.ts';
import type { ListRequest } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { createShares, type ShareParts } from './shares.ts';

export interface EmbedParts extends ShareParts {
  readonly findPicture: (embed: Embed) => string | null; // as SVG
}

export type Embeds = ReturnType<typeof createEmbeds>;
export type EmbedView = Awaited<ReturnType<Embeds['list']>>['items'][number];

export function createEmbeds(parts: EmbedParts) {
  const { store, tokens, now, rowQuota } = parts;
  const shares = createShares<Embed>('embed', store.embeds, parts);
  const viewOf = async (actor: Principal, embed: Embed) => ({
    ...(await shares.view(actor, embed)),
    title: embed.chart.title,
    chart: embed.chart,
    viewer: embed.viewer,
    open: embed.open,
    expirationDays: embed.days,
    lastViewedAt: isoTime(embed.lastViewedAt),
  });
  return {
    revoke: shares.revoke,
    list: (actor: Principal, request: ListRequest) => shares.list(actor, request, viewOf),
    /** The last picture of an embed, only for its issuer and only while they may run the query; others need the link to see it. */
    async readPicture(actor: Principal, id: string): Promise<Result<{ readonly svg: string | null }>> {
      const embed = await store.embeds.get(id);
      if (embed === null || embed.userId !== actor.userId || rowQuota.limits(actor)) return shares.missing;
      const runnable = await findQuery(store, actor, { queryName: embed.queryName }, 'embed');
      return succeeded({ svg: runnable.ok ? parts.findPicture(embed) : null });
    },
    async regenerate(actor: Principal, id: string, days: number | null | undefined, note: AuditNote) {
      const issued = await shares.regenerate(actor, id, days, note);
      return issued.ok ? succeeded({ embed: issued.value, token: tokens.sign(issued.value) }) : issued;
    },
    /**
     * Changes lifetime, chart, viewers and open parameters; the address stays. Needs the same rights as `regenerate`. Only the issuer
     * changes columns, viewers and open parameters, because views may run with the issuer's rights.
     */
    async change(actor: Principal, id: string, { days, chart: chartChanges, ...viewerChanges }: EmbedChange, note: AuditNote) {
      const found = await shares.findChangeable(actor, id, note);
      if (!found.ok) return found;
      const embed = found.value;
      const isIssuer = embed.userId === actor.userId;
      const sent = definedFields(viewerChanges);
      const changed = [...Object.keys(chartChanges), ...Object.keys(sent)];
      note.parameters = { embed: id, changed, ...(days === undefined ? {} : { days }) };
      const viewers = await changeViewers(parts, embed, sent);
      if (!viewers.ok) return viewers;
      if (!isIssuer && !isDeepStrictEqual(viewers.value, { viewer: embed.viewer, open: embed.open }))
        return failed(fieldInvalid('options', 'Only the issuer of an embed can choose its viewers and open parameters.'));
      const names = columnsOf(embed.chart);
      const wanted = { ...embed.chart, ...chartChanges };
      if (wanted.seriesColumn !== null && wanted.moreDataColumns.length > 0)
        return failed(fieldInvalid('options.seriesColumn', 'A series column needs exactly one data column.'));
      const hasNewColumns = columnsOf(wanted).some((name) => !names.includes(name));
      if (hasNewColumns && !isIssuer)
        return failed(fieldInvalid('options', 'Only the issuer of an embed can choose other columns.'));
      const isChecked =
        hasNewColumns || wanted.labelColumn !== embed.chart.labelColumn || wanted.timeUnit !== embed.chart.timeUnit;
      const version = isChecked ? await readNamedVersion(store, embed.queryName) : null;
      const chart = version?.resultColumns
        ? checkColumns(labelColumns(version.resultColumns, version.definition.columns), wanted)
        : resolveColumns(
            names.map((label) => ({ label })),
            wanted,
          );
      if (!chart.ok) return chart;
      const { days: lifetimeDays, expiresAt } = days === undefined ? embed : createLifetime(days, now());
      const after = { ...embed, ...viewers.value, chart: chart.value, days: lifetimeDays, expiresAt };
      return (await store.embeds.change(after)) ? succeeded(await viewOf(actor, after)) : shares.missing;
    },
  };
}

interface EmbedChange {
  readonly days?: number | null | undefined;
  readonly chart: Partial<ChartConfig>;
  readonly viewer?: Embed['viewer'] | undefined;
  readonly open?: readonly string[] | undefined;
}

/** Refuses to close a required parameter that has no value in the embed. */
async function changeViewers(
  { store, parameters }: Pick<EmbedParts, 'store' | 'parameters'>,
  embed: Embed,
  { viewer = embed.viewer, open }: Partial<Pick<Embed, 'viewer' | 'open'>>,
): Promise<Result<Pick<Embed, 'viewer' | 'open'>>> {
  if (open === undefined) return succeeded({ viewer, open: embed.open });
  const declared = (await readNamedVersion(store, embed.queryName))?.definition.parameters ?? [];
  const names = readOpen(declared, open);
  if (!names.ok) return names;
  const valued = new Set(parameters.open(embed)?.map(({ ParameterName }) => ParameterName));
  const missing = declared.find(
    ({ name, required, default: own }) => required && own === undefined && !valued.has(name) && !names.value.includes(name),
  );
  if (missing === undefined) return succeeded({ viewer, open: names.value });
  return failed(fieldInvalid('options.open', `${missing.name} has no value in this embed, so viewers have to choose one.`));
}
