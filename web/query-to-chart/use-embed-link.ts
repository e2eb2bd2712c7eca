import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChartConfig, ChartTheme } from '../../src/core/chart-config.ts';
import type { EmbedLink } from '../app/api-types.ts';
import { call, type QueryOf } from '../app/api.ts';
import { Problem } from '../app/problem.ts';
import type { Embed, SentParameter } from '../app/wire.ts';
import { selectRelative } from '../components/parameters/parameter-values.ts';
import type { SearchParams } from '../components/use-search-params.ts';
import { daysOf, type Expiration, defaultExpiration, findNearestExpiration } from '../shares/expiration.ts';
import { viewersFromUrl } from './chart-url.ts';

export interface EmbeddedChart {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly config: ChartConfig;
}

interface Made {
  readonly of: string; // the chart that it shows
  readonly viewer: Embed['viewer'];
  readonly expiration: Expiration;
  readonly link: EmbedLink;
}

/** What the dialog asks before it creates the link. */
export interface EmbedChoices {
  readonly expiration: Expiration;
  readonly theme: ChartTheme;
  readonly frameAncestors: string;
  readonly viewer: Embed['viewer'];
  readonly open: readonly string[];
}

/**
 * The embed link of a chart. Create Embed URL issues it; afterwards the lifetime changes without a new address, and Regenerate Token
 * replaces an address that has leaked. With the id of an embed, the chart of that embed is changed instead.
 */
export function useEmbedLink(chart: EmbeddedChart | null, params: SearchParams) {
  const embedId = params.embed;
  const queryClient = useQueryClient();
  const [made, setMade] = useState<Made | null>(null);
  const [choices, setChoices] = useState<EmbedChoices>(noChoices);
  const of = JSON.stringify(chart);
  const current = made?.of === of ? made : null;
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (act: Act) => acts[act](chart, choices, current?.link ?? null, embedId),
    onSuccess: ({ link, expiration }) => {
      setMade({ of, viewer: choices.viewer, expiration, link });
      setChoices((before) => ({ ...before, expiration }));
      void queryClient.invalidateQueries({ queryKey: ['embeds'] });
    },
    onError: (problem) => {
      // revoked in the meantime: create a new embed next time
      if (problem instanceof Problem && problem.status === 404) setMade(null);
    },
  });
  return {
    link: current?.link ?? null,
    isSigned: current?.viewer === 'signed',
    values: Object.fromEntries((chart?.parameters ?? []).map(({ ParameterName, Value }) => [ParameterName, Value])),
    isEdit: embedId !== undefined,
    relative: selectRelative(chart?.parameters ?? []),
    choices,
    choose: (fields: Partial<EmbedChoices>) => setChoices((before) => ({ ...before, ...fields })),
    /** The chosen lifetime differs from that of the link. */
    differs: current !== null && current.expiration !== choices.expiration,
    isPending,
    error,
    /** Called when the dialog opens. */
    start: () => {
      reset();
      const { theme, frameAncestors } = chart?.config ?? noChoices;
      setChoices({ expiration: current?.expiration ?? defaultExpiration, theme, frameAncestors, ...viewersFromUrl(params) });
    },
    create: () => mutate(embedId === undefined ? 'create' : 'edit'),
    apply: () => mutate('apply'),
    regenerate: () => mutate('regenerate'),
  };
}

const noChoices: EmbedChoices = {
  expiration: defaultExpiration,
  theme: 'auto',
  frameAncestors: '',
  ...{ viewer: 'issuer', open: [] },
};

export type EmbedLinkState = ReturnType<typeof useEmbedLink>;

type Act = 'create' | 'edit' | 'apply' | 'regenerate';
type Run = (
  chart: EmbeddedChart | null,
  choices: EmbedChoices,
  link: EmbedLink | null,
  embedId: string | undefined,
) => Promise<Pick<Made, 'link' | 'expiration'>>;

const acts: Readonly<Record<Act, Run>> = {
  create: async (chart, { expiration, theme, frameAncestors, viewer, open }) => {
    if (chart === null) throw new Error('There is no chart yet.');
    const config = { ...chart.config, theme, frameAncestors };
    const query = { ...embedQuery({ ...chart, config }, expiration), viewer, ...(open.length === 0 ? {} : { open: [...open] }) };
    return { expiration, link: await call('POST /api/v1/EmbeddedChart/GetEmbedUrl', { query }) };
  },
  // the lifetime stays
  edit: async (chart, { theme, frameAncestors, viewer, open }, _link, id = '') => {
    if (chart === null) throw new Error('There is no chart yet.');
    const { moreDataColumns, dataColumn, ...options } = { ...chart.config, theme, frameAncestors };
    const body = { options: { ...options, dataColumn: [dataColumn, ...moreDataColumns], viewer, open: [...open] } };
    return linkOf(await call('PATCH /api/v1/embeds/{id}', { params: { id }, body }));
  },
  apply: async (_chart, { expiration }, link) => {
    const body = { expirationDays: daysOf(expiration) };
    return linkOf(await call('PATCH /api/v1/embeds/{id}', { params: { id: link?.Id ?? '' }, body }));
  },
  regenerate: async (_chart, { expiration }, link) => {
    const input = { params: { id: link?.Id ?? '' }, body: { expirationDays: daysOf(expiration) } };
    return { expiration, link: await call('POST /api/v1/embeds/{id}/regenerate', input) };
  },
};

const linkOf = ({ id, embedUrl, iframeCode, expiresAt, expirationDays }: Embed): Pick<Made, 'link' | 'expiration'> => ({
  expiration: findNearestExpiration(expirationDays),
  link: { Id: id, Token: tokenOf(embedUrl ?? ''), EmbedUrl: embedUrl ?? '', IframeCode: iframeCode ?? '', ExpiresAt: expiresAt },
});

const tokenOf = (url: string): string => new URLSearchParams(url.split('?')[1] ?? '').get('token') ?? '';

/** The parameters of GetEmbedUrl. */
function embedQuery(
  { queryName, parameters, config }: EmbeddedChart,
  expiration: Expiration,
): QueryOf<'POST /api/v1/EmbeddedChart/GetEmbedUrl'> {
  const { moreDataColumns, dataColumn, seriesColumn, ...others } = config;
  return {
    queryName,
    ...(parameters.length === 0 ? {} : { parameters: JSON.stringify(parameters) }),
    ...others,
    dataColumn: moreDataColumns.length === 0 ? dataColumn : [dataColumn, ...moreDataColumns],
    ...(seriesColumn === null ? {} : { seriesColumn }),
    chartHeight: String(config.chartHeight),
    animationSpeed: String(config.animationSpeed),
    barWidth: String(config.barWidth),
    showToolbar: `${config.showToolbar}`,
    showDataLabels: `${config.showDataLabels}`,
    showGrid: `${config.showGrid}`,
    showLegend: `${config.showLegend}`,
    enableZoom: `${config.enableZoom}`,
    enableAnimations: `${config.enableAnimations}`,
    patterns: `${config.patterns}`,
    expirationDays: expiration,
  };
}
