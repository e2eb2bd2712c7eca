import type { Embed, EmbedParameters } from '../../access/embed.ts';
import { filledFields } from '../../core/defined-fields.ts';
import type { Repositories } from '../../store/metadata-store.ts';

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
