import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChartConfig } from '../../src/charts/chart-config.ts';
import { type ResponseOf, call, type QueryOf } from '../app/api.ts';
import { Problem } from '../app/problem.ts';
import type { SentParameter } from '../app/wire.ts';
import { daysOf, type Expiration, defaultExpiration } from '../embeds/expiration.ts';

export interface EmbeddedChart {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly config: ChartConfig;
}

type EmbedLink = ResponseOf<'POST /api/v1/EmbeddedChart/GetEmbedUrl'>;

interface Made {
  readonly of: string; // the chart that it shows
  readonly expiration: Expiration;
  readonly link: EmbedLink;
}

/**
 * The embed link of a chart. Opening the dialog creates it once; Regenerate Token issues a new token for the same embed with the chosen
 * lifetime, so that trying several lifetimes leaves only one valid link.
 */
export function useEmbedLink(chart: EmbeddedChart | null) {
  const queryClient = useQueryClient();
  const [made, setMade] = useState<Made | null>(null);
  const [chosen, choose] = useState<Expiration>(defaultExpiration);
  const of = JSON.stringify(chart);
  const current = made?.of === of ? made : null;
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (expiration: Expiration) => (current === null ? issue(chart, expiration) : reissue(current.link.Id, expiration)),
    onSuccess: (link, expiration) => {
      setMade({ of, expiration, link });
      void queryClient.invalidateQueries({ queryKey: ['embeds'] });
    },
    onError: (problem) => {
      // revoked in the meantime: create a new embed next time
      if (problem instanceof Problem && problem.status === 404) setMade(null);
    },
  });
  return {
    link: current?.link ?? null,
    expiration: chosen,
    choose,
    /** The chosen lifetime differs from that of the link. */
    differs: current !== null && current.expiration !== chosen,
    isPending,
    error,
    /** Called when the dialog opens. */
    ensure: () => {
      reset();
      choose(current?.expiration ?? defaultExpiration);
      if (current === null) mutate(defaultExpiration);
    },
    regenerate: () => mutate(chosen),
  };
}

export type EmbedLinkState = ReturnType<typeof useEmbedLink>;

const issue = (chart: EmbeddedChart | null, expiration: Expiration): Promise<EmbedLink> => {
  if (chart === null) throw new Error('There is no chart yet.');
  return call('POST /api/v1/EmbeddedChart/GetEmbedUrl', { query: embedQuery(chart, expiration) });
};

const reissue = (id: string, expiration: Expiration): Promise<EmbedLink> =>
  call('POST /api/v1/embeds/{id}/regenerate', { params: { id }, body: { expirationDays: daysOf(expiration) } });

/** The parameters of GetEmbedUrl. */
function embedQuery(
  { queryName, parameters, config }: EmbeddedChart,
  expiration: Expiration,
): QueryOf<'POST /api/v1/EmbeddedChart/GetEmbedUrl'> {
  const { showToolbar, showDataLabels, showGrid, showLegend, enableZoom, enableAnimations, patterns, ...others } = config;
  return {
    queryName,
    ...(parameters.length === 0 ? {} : { parameters: JSON.stringify(parameters) }),
    ...others,
    chartHeight: String(config.chartHeight),
    animationSpeed: String(config.animationSpeed),
    barWidth: String(config.barWidth),
    showToolbar: word(showToolbar),
    showDataLabels: word(showDataLabels),
    showGrid: word(showGrid),
    showLegend: word(showLegend),
    enableZoom: word(enableZoom),
    enableAnimations: word(enableAnimations),
    patterns: word(patterns),
    expirationDays: expiration,
  };
}

const word = (on: boolean): 'true' | 'false' => (on ? 'true' : 'false');
