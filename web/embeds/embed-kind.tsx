import { call } from '../app/api.ts';
import type { Embed } from '../app/wire.ts';
import type { ShareKind } from '../shares/share-kind.ts';
import { EmbedLinkFields } from './embed-link-fields.tsx';
import { embedDetails, embedTitle } from './embed-texts.ts';

export const embeds: ShareKind<Embed> = {
  key: 'embeds',
  title: 'Embeds',
  permission: 'embeds.create',
  nameOf: embedTitle,
  detailsOf: embedDetails,
  urlOf: ({ embedUrl }) => embedUrl,
  lastUseOf: ({ lastViewedAt }) => lastViewedAt,
  daysOf: ({ expirationDays }) => expirationDays,
  words: { share: 'Chart', views: 'Views', lastUse: 'Last view', unused: 'Not viewed yet' },
  queryPage: '/query-to-chart',
  regenerateText: 'The current URL stops working immediately. Pages that embed the chart need the new one.',
  revokeText: 'Its URL stops working immediately, wherever it is embedded. This cannot be undone.',
  list: (query, signal) => call('GET /api/v1/embeds', { query }, { signal }),
  revoke: (id) => call('DELETE /api/v1/embeds/{id}', { params: { id } }),
  regenerate: async ({ id, viewer }, expirationDays) => {
    const link = await call('POST /api/v1/embeds/{id}/regenerate', { params: { id }, body: { expirationDays } });
    const { EmbedUrl: url, IframeCode: iframeCode, ExpiresAt: expiresAt } = link;
    const fields = <EmbedLinkFields {...{ url, iframeCode }} neverExpires={expiresAt === null} isSigned={viewer === 'signed'} />;
    return { expiresAt, fields };
  },
};
