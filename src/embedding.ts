import { randomUUID } from 'node:crypto';
import { createEmbedParameters, type EmbedParameters } from './access/embeds/embed-parameters.ts';
import { type EmbedTokens, rotatingEmbedTokens } from './access/embeds/embed-token.ts';
import type { KeyRing } from './access/key-ring.ts';
import { rotatingSecretBox } from './access/secret-box.ts';
import type { Config } from './config/config.ts';
import { createDeliver, type DeliverParts } from './delivery/deliver.ts';
import { createEmbedViews, type EmbedViews } from './delivery/embed-views.ts';
import { createAuthenticateEmbed } from './delivery/steps/authenticate-embed.ts';
import type { Execute } from './delivery/steps/execute.ts';
import type { FindIssuer } from './delivery/steps/issuer.ts';
import { createChartCache } from './delivery/use-cases/chart-cache.ts';
import { createIssueEmbed, type IssueEmbed } from './delivery/use-cases/embed-issue.ts';
import { createViewEmbed, type ViewEmbed } from './delivery/use-cases/embed-view.ts';
import { createChartDrawer } from './drawing/create-chart-drawer.ts';
import type { MetadataStore } from './store/metadata-store.ts';

export interface Embedding {
  readonly tokens: EmbedTokens;
  readonly parameters: EmbedParameters;
  readonly issue: IssueEmbed;
  readonly view: ViewEmbed;
  readonly views: EmbedViews;
  readonly toPng: (svg: string) => Promise<Buffer>;
  close(): Promise<void>;
}

export interface EmbeddingParts {
  readonly deliverParts: DeliverParts;
  readonly execute: Execute;
  readonly store: MetadataStore;
  readonly findIssuer: FindIssuer;
  readonly keys: KeyRing;
  readonly config: () => Config;
  readonly now: () => number;
}

const DRAW_MS = 5000;

export const embedParametersOf = (keys: KeyRing): EmbedParameters =>
  createEmbedParameters(rotatingSecretBox(keys, 'embed parameters'));

/** Composition of what belongs to chart embeds. */
export function createEmbedding({ deliverParts, execute, store, findIssuer, keys, config, now }: EmbeddingParts): Embedding {
  const tokens = rotatingEmbedTokens(keys);
  const parameters = embedParametersOf(keys);
  const drawer = createChartDrawer({ maxMs: DRAW_MS });
  const views = createEmbedViews(store.embeds, now);
  const authenticate = createAuthenticateEmbed({ tokens, store, findIssuer, now });
  return {
    tokens,
    parameters,
    issue: createIssueEmbed({
      deliver: createDeliver(deliverParts),
      rowQuota: deliverParts.rowQuota,
      ...{ execute, store, tokens, parameters, now },
      newId: randomUUID,
    }),
    view: createViewEmbed({
      deliver: createDeliver({ ...deliverParts, authenticate }),
      execute,
      cache: createChartCache({ keepMs: () => config().embedCacheSeconds * 1000, now }),
      drawer,
      parameters,
      viewed: views.note,
      config,
    }),
    views,
    toPng: drawer.pngOf,
    close: drawer.close,
  };
}
