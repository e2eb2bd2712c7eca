import { join } from 'node:path';
import { createShareParameters, createShareTokens } from '../access/share.ts';
import { createChartDrawer } from '../drawing/create-chart-drawer.ts';
import { openMemoryFile } from '../operations/memory-file.ts';
import { createBatchedUses } from '../pipeline/batched-uses.ts';
import { createDeliver } from '../pipeline/deliver.ts';
import { createAuthenticateEmbed, createAuthenticateShare } from '../pipeline/steps/authenticate.ts';
import { createChartCache } from '../pipeline/use-cases/chart-cache.ts';
import { createDeliverChartPage } from '../pipeline/use-cases/chart-page.ts';
import { createIssueEmbed } from '../pipeline/use-cases/embed-issue.ts';
import { createEmbedPictures, type KeptPicture } from '../pipeline/use-cases/embed-pictures.ts';
import { createViewEmbed } from '../pipeline/use-cases/embed-view.ts';
import { createReadFields } from '../pipeline/use-cases/open-fields.ts';
import type { Pipeline, PipelineParts } from './pipeline.ts';

const DRAW_MS = 5000;
const MAX_PICTURE_CHARACTERS = 8 << 20;
const MAX_CHOICE_BYTES = 8 << 20;

export type Embedding = ReturnType<typeof composeEmbedding>;

/** Chart embeds: issuing, viewing and drawing. */
export function composeEmbedding(
  { storage, access, now }: PipelineParts,
  { execute, deliver, deliverParts, findIssuer, readChoices, takePage }: Pipeline,
) {
  const { folder, store } = storage;
  const config = access.settings.current;
  const tokens = createShareTokens(folder.keys, 'embed');
  const parameters = createShareParameters(folder.keys, 'embed');
  const drawer = createChartDrawer({ maxMs: DRAW_MS });
  const kept = openMemoryFile<KeptPicture>(join(folder.path, 'embed-pictures.json'), {
    maxSize: MAX_PICTURE_CHARACTERS,
    sizeCalculation: ({ svg }) => svg.length,
  });
  const pictures = createEmbedPictures(kept, drawer.countWaiting);
  const views = createBatchedUses(store.embeds.addViews, now);
  const authenticateShare = createAuthenticateShare({
    kind: 'embed',
    shares: store.embeds,
    authenticationOf: (embed) => ({ kind: 'embed', embed }),
    ...{ tokens, findIssuer, now },
  });
  const keepMs = () => config().embedCacheSeconds * 1000;
  return {
    tokens,
    parameters,
    views,
    pictures,
    useCases: {
      issueEmbed: createIssueEmbed({
        deliver,
        rowQuota: deliverParts.rowQuota,
        ...{ execute, store, tokens, parameters, now },
      }),
      viewEmbed: createViewEmbed({
        deliver: createDeliver({
          ...deliverParts,
          authenticate: createAuthenticateEmbed(authenticateShare, deliverParts.authenticate),
        }),
        ...{ execute, store },
        cache: createChartCache(keepMs, now),
        readFields: createReadFields(store, readChoices, createChartCache(keepMs, now, MAX_CHOICE_BYTES)),
        drawer,
        parameters,
        recordView: views.note,
        config,
        zone: deliverParts.zone,
      }),
      toPng: drawer.pngOf,
      pictures,
    },
    deliverChartPage: createDeliverChartPage({ ...deliverParts, deliver, takePage, drawer }),
    async close(): Promise<void> {
      await drawer.close();
      await kept.flush().catch(() => undefined); // the list of embeds then lacks the last pictures
    },
  };
}
