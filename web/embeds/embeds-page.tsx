import { Button, Center, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { Embed } from '../app/wire.ts';
import { ChartTypePicture } from '../chart/chart-type-picture.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyPage } from '../components/empty-page.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconEye, IconPencil, IconWorldShare } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { ShareAction } from '../shares/share-action.tsx';
import { MASKED } from '../shares/share-kind.ts';
import { ShareList } from '../shares/share-list.tsx';
import { embeds } from './embed-kind.tsx';
import { EmbedLinkFields } from './embed-link-fields.tsx';
import { EmbedPreview } from './embed-preview.tsx';
import { embedTitle } from './embed-texts.ts';
import styles from './embeds-page.module.css';
import { HostCode } from './host-code.tsx';

/** The chart links. */
export function EmbedsPage() {
  const { isExtended } = useSession();
  if (!isExtended) {
    return (
      <EmptyPage page="Embeds" title="Not in the Standard Edition" icon={IconWorldShare}>
        Embedded charts are part of the Extended Edition.
      </EmptyPage>
    );
  }
  return <Embeds />;
}

function Embeds() {
  const [{ search = '' }] = useSearchParams();
  const [shown, setShown] = useState<Embed | null>(null);
  const view = (share: Embed) => (
    <ShareAction kind={embeds} share={share} label="Preview" icon={IconEye} onClick={() => setShown(share)} />
  );
  return (
    <>
      <PageHeader
        title="Embeds"
        description="Charts that can be viewed without signing in. Anyone with a chart’s URL sees its data, unless the chart requires a viewer token."
        actions={<CurlButton operation="GET /api/v1/embeds" parts={{ query: { search } }} />}
      />
      <ShareList
        kind={embeds}
        picture={(embed) => <Thumbnail embed={embed} />}
        view={view}
        more={(embed) => <EditLink embed={embed} />}
        empty={<NoEmbeds />}
      />
      {shown !== null && <PreviewDialog embed={shown} onClose={() => setShown(null)} />}
    </>
  );
}

/** The chart as viewers see it, with its URL and code. */
function PreviewDialog({ embed, onClose }: { readonly embed: Embed; readonly onClose: () => void }) {
  const { embedUrl, iframeCode, expiresAt } = embed;
  if (embedUrl === null || iframeCode === null) return null;
  const isSigned = embed.viewer === 'signed';
  return (
    <Modal opened onClose={onClose} title={embedTitle(embed)} size="lg">
      <Stack gap="md">
        {!isSigned && <EmbedPreview url={embedUrl} title={embedTitle(embed)} iframeCode={iframeCode} />}
        <EmbedLinkFields url={embedUrl} iframeCode={iframeCode} neverExpires={expiresAt === null} isSigned={isSigned} />
        {isSigned && <HostCode url={embedUrl} />}
      </Stack>
    </Modal>
  );
}

function NoEmbeds() {
  return (
    <EmptyState
      title="No embeds yet"
      icon={IconWorldShare}
      action={
        <Button mt="xs" renderRoot={(props) => <Link to="/query-to-chart" {...props} />}>
          Query To Chart
        </Button>
      }
    >
      Draw a chart and choose Get Embed URL.
    </EmptyState>
  );
}

/** The last picture that the service has drawn, if it still has it: the list runs no query. */
function Thumbnail({ embed: { id, chart, embedUrl } }: { readonly embed: Embed }) {
  const { data } = useQuery({
    queryKey: ['embed-picture', id],
    queryFn: ({ signal }) => call('GET /api/v1/embeds/{id}/picture', { params: { id } }, { signal }),
    enabled: embedUrl !== null,
  });
  const svg = data?.svg ?? null;
  return (
    <Center className={styles.thumbnail} aria-hidden>
      {svg === null ? (
        <ChartTypePicture type={String(chart.chartType)} />
      ) : (
        <img alt="" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} />
      )}
    </Center>
  );
}

/** Opens Query To Chart with the settings of the embed; Get Embed URL there saves them under the same address. */
function EditLink({ embed }: { readonly embed: Embed }) {
  return (
    <ShareAction
      kind={embeds}
      share={embed}
      label="Edit"
      icon={IconPencil}
      renderRoot={(props) => <Link to="/query-to-chart" search={editSearch(embed)} {...props} />}
    />
  );
}

function editSearch({ id, queryName, chart, parameters, viewer, open }: Embed): Record<string, string> {
  const [dataColumn, ...moreDataColumns] = [chart.dataColumn].flat().map(String);
  const shown = Object.entries(parameters).filter(([, value]) => value !== MASKED);
  const ofViewers = { viewer: viewer === 'signed' ? viewer : null, open: open.length === 0 ? null : open };
  const fields = { ...Object.fromEntries(shown), ...chart, dataColumn, query: queryName, embed: id, ...ofViewers };
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, Array.isArray(value) ? JSON.stringify(value) : String(value)]],
  );
  return {
    ...Object.fromEntries(texts),
    ...(moreDataColumns.length === 0 ? {} : { moreDataColumns: JSON.stringify(moreDataColumns) }),
    ...(chart.title === '' ? { title: ' ' } : {}), // as written by chart-url.ts
  };
}
