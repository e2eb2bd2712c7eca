import { Text } from '@mantine/core';
import { call } from '../app/api.ts';
import type { DataLink } from '../app/wire.ts';
import { formatLabels } from '../components/format-labels.ts';
import { type ShareKind, valuesText } from '../shares/share-kind.ts';
import { LinkAddress } from './link-address.tsx';

export const dataLinks: ShareKind<DataLink> = {
  key: 'links',
  title: 'Data links',
  permission: 'links.create',
  nameOf: ({ name }) => name,
  detailsOf: (link) =>
    [
      formatLabels[link.format],
      valuesText(link.parameters),
      link.open.length === 0 ? '' : `readers may set ${link.open.join(', ')}`,
      link.asIssuer ? `shows every reader the rows of ${link.issuer}` : '',
    ]
      .filter((part) => part !== '')
      .join(' · '),
  urlOf: ({ url }) => url,
  lastUseOf: ({ lastUsedAt }) => lastUsedAt,
  daysOf: ({ expiresInDays }) => expiresInDays,
  words: { share: 'Name', views: 'Reads', lastUse: 'Last read', unused: 'Not read yet' },
  queryPage: '/query-to-json',
  regenerateText: 'The current link stops working immediately. Everyone who reads it needs the new one.',
  revokeText: 'The link stops working immediately, wherever it is used. This cannot be undone.',
  list: (query, signal) => call('GET /api/v1/links', { query }, { signal }),
  revoke: (id) => call('DELETE /api/v1/links/{id}', { params: { id } }),
  regenerate: async ({ id }, expiresInDays) => {
    const link = await call('POST /api/v1/links/{id}/regenerate', { params: { id }, body: { expiresInDays } });
    const fields = link.url === null ? <OnlyIssuer issuer={link.issuer} /> : <LinkAddress link={link} />;
    return { expiresAt: link.expiresAt, fields };
  },
};

const OnlyIssuer = ({ issuer }: { readonly issuer: string }) => (
  <Text size="sm">{`${issuer} finds the new link on this page.`}</Text>
);
