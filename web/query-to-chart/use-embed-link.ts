import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ChartConfig, ChartTheme } from '../../src/core/chart-config.ts';
import type { EmbedLink } from '../app/api-types.ts';
import { Problem } from '../app/problem.ts';
import type { SentParameter } from '../app/wire.ts';
import { selectRelative } from '../components/parameters/parameter-values.ts';
import { type Expiration, defaultExpiration } from '../embeds/expiration.ts';
import type { EmbedAct } from './embed-calls.ts';

export interface EmbeddedChart {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly config: ChartConfig;
}

export interface MadeLink {
  readonly expiration: Expiration;
  readonly link: EmbedLink;
}

/** What the dialog asks before it creates the link. */
export interface EmbedChoices {
  readonly expiration: Expiration;
  readonly theme: ChartTheme;
  readonly frameAncestors: string;
}

/**
 * The embed link of a chart. Create Embed URL issues it; afterwards the lifetime changes without a new address, and Regenerate Token
 * replaces an address that has leaked. With the id of an embed, the chart of that embed is changed instead.
 */
export function useEmbedLink(chart: EmbeddedChart | null, embedId: string | undefined) {
  const queryClient = useQueryClient();
  const [made, setMade] = useState<(MadeLink & { readonly of: string }) | null>(null);
  const [choices, setChoices] = useState<EmbedChoices>(noChoices);
  const of = JSON.stringify(chart);
  const current = made?.of === of ? made : null;
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (act: EmbedAct) => {
      const { embedCalls } = await import('./embed-calls.ts'); // with the dialog, not with its page
      return embedCalls[act](chart, choices, current?.link ?? null, embedId);
    },
    onSuccess: ({ link, expiration }) => {
      setMade({ of, expiration, link });
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
      setChoices({ expiration: current?.expiration ?? defaultExpiration, theme, frameAncestors });
    },
    create: () => mutate(embedId === undefined ? 'create' : 'edit'),
    apply: () => mutate('apply'),
    regenerate: () => mutate('regenerate'),
  };
}

const noChoices: EmbedChoices = { expiration: defaultExpiration, theme: 'auto', frameAncestors: '' };

export type EmbedLinkState = ReturnType<typeof useEmbedLink>;
