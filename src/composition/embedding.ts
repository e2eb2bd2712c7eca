import { randomUUID } from 'node:crypto';
import { createEmbedParameters, type EmbedParameters } from '../access/embeds/embed-parameters.ts';
import { rotatingEmbedTokens } from '../access/embeds/embed-token.ts';
import type { KeyRing } from '../access/key-ring.ts';
import { rotatingSecretBox } from '../access/secret-box.ts';
import { createBatchedUses } from '../delivery/batched-uses.ts';
import { createDeliver } from '../delivery/deliver.ts';
import { createAuthenticateEmbed } from '../delivery/steps/authenticate-embed.ts';
import { createChartCache } from '../delivery/use-cases/chart-cache.ts';
import { createDeliverChartPage } from '../delivery/use-cases/chart-page.ts';
import { createIssueEmbed } from '../delivery/use-cases/embed-issue.ts';
import { createViewEmbed } from '../delivery/use-cases/embed-view.ts';
import { createChartDrawer } from '../drawing/create-chart-drawer.ts';
import type { Delivery, DeliveryParts } from './delivery.ts';

const DRAW_MS = 5000;

export const embedParametersOf = (keys: KeyRing): EmbedParameters =>
  createEmbedParameters(rotatingSecretBox(keys, 'embed parameters'));

export type Embedding = ReturnType<typeof composeEmbedding>;

/** Chart embeds: issuing, viewing and drawing. */
export function composeEmbedding(
  { storage, access, now }: DeliveryParts,
  { execute, deliver, deliverParts, findIssuer, takePage }: Delivery,
) {
  const { folder, store } = storage;
  const config = access.settings.current;
  const tokens = rotatingEmbedTokens(folder.keys);
  const parameters = embedParametersOf(folder.keys);
  const drawer = createChartDrawer({ maxMs: DRAW_MS });
  const views = createBatchedUses(store.embeds.addViews, now);
  const authenticate = createAuthenticateEmbed({ tokens, store, findIssuer, now });
  return {
    tokens,
    parameters,
    views,
    useCases: {
      issueEmbed: createIssueEmbed({
        deliver,
        rowQuota: deliverParts.rowQuota,
        ...{ execute, store, tokens, parameters, now },
        newId: randomUUID,
      }),
      viewEmbed: createViewEmbed({
        deliver: createDeliver({ ...deliverParts, authenticate }),
        execute,
        cache: createChartCache({ keepMs: () => config().embedCacheSeconds * 1000, now }),
        drawer,
        parameters,
        viewed: views.note,
        config,
      }),
      toPng: drawer.pngOf,
    },
    deliverChartPage: createDeliverChartPage(deliver, takePage, drawer),
    close: drawer.close,
  };
}
