import { Anchor, Button, Center, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { Embed } from '../app/wire.ts';
import { ChartTypePicture } from '../chart/chart-type-picture.tsx';
import { confirm } from '../components/confirm.tsx';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconEye, IconPencil, IconRefresh, IconTrash, IconWorldShare } from '../components/icons.tsx';
import { type Column, DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { PageHeader } from '../components/page-header.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { TechnicalName } from '../components/technical-name.tsx';
import { Time } from '../components/time.tsx';
import { toast, toastProblem } from '../components/toast.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { EmbedLinkFields } from './embed-link-fields.tsx';
import { EmbedPreview } from './embed-preview.tsx';
import { chartHeightOf, embedDetails, embedTitle } from './embed-texts.ts';
import styles from './embeds-page.module.css';
import { RegenerateDialog } from './regenerate-dialog.tsx';

/** The chart links: when they expire, how often they were viewed, and how to revoke them. */
export function EmbedsPage() {
  const { isExtended } = useSession();
  if (!isExtended) {
    return (
      <>
        <PageHeader title="Embeds" />
        <EmptyState title="Not in the Standard Edition" icon={IconWorldShare}>
          Embedded charts are part of the Extended Edition.
        </EmptyState>
      </>
    );
  }
  return <Embeds />;
}

type Dialog = { readonly kind: 'preview' | 'regenerate'; readonly embed: Embed };

function Embeds() {
  const { session, can } = useSession();
  const [{ search = '' }] = useSearchParams();
  const list = useList(['embeds', search], (cursor, signal) =>
    call('GET /api/v1/embeds', { query: { search, cursor } }, { signal }),
  );
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const revoke = useRevoke();
  const hasOthers = list.items.some(({ issuer }) => issuer !== session.username);
  const columns: readonly Column<Embed>[] = [
    { header: 'Chart', render: (embed) => <Chart embed={embed} /> },
    { header: 'Query', render: (embed) => <QueryLink embed={embed} /> },
    ...(hasOthers ? [{ header: 'Issued by', render: ({ issuer }: Embed) => issuer }] : []),
    { header: 'Expires', render: (embed) => <Expiry embed={embed} /> },
    { header: 'Views', align: 'right', render: ({ views }) => <span className="tabular">{views.toLocaleString('en')}</span> },
    { header: 'Last view', render: ({ lastViewedAt }) => <Time at={lastViewedAt} as="relative" never="Not viewed yet" /> },
    {
      header: 'Actions',
      headerHidden: true,
      align: 'right',
      width: 320,
      render: (embed) => (
        <Actions
          embed={embed}
          mayRegenerate={can('embeds.create')}
          onPreview={() => setDialog({ kind: 'preview', embed })}
          onRegenerate={() => setDialog({ kind: 'regenerate', embed })}
          onRevoke={() => void revoke(embed)}
        />
      ),
    },
  ];
  return (
    <>
      <PageHeader
        title="Embeds"
        description="Charts that can be viewed without signing in. Anyone with a chart’s URL sees its data."
        actions={<CurlButton operation="GET /api/v1/embeds" parts={{ query: { search } }} />}
      />
      <Stack gap="sm">
        <SearchField label="Search embeds" />
        <DataTable
          label="Embeds"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          minWidth={980}
          empty={search === '' ? <NoEmbeds /> : <EmptyState title={`Nothing found for “${search}”`} />}
        />
      </Stack>
      {dialog?.kind === 'preview' && <PreviewDialog embed={dialog.embed} onClose={() => setDialog(null)} />}
      {dialog?.kind === 'regenerate' && <RegenerateDialog embed={dialog.embed} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The chart as viewers see it, with its URL and code. */
function PreviewDialog({ embed, onClose }: { readonly embed: Embed; readonly onClose: () => void }) {
  const { embedUrl, iframeCode, expiresAt } = embed;
  if (embedUrl === null || iframeCode === null) return null;
  return (
    <Modal opened onClose={onClose} title={embedTitle(embed)} size="lg">
      <Stack gap="md">
        <EmbedPreview url={embedUrl} title={embedTitle(embed)} chartHeight={chartHeightOf(embed)} />
        <EmbedLinkFields url={embedUrl} iframeCode={iframeCode} neverExpires={expiresAt === null} />
      </Stack>
    </Modal>
  );
}

function useRevoke(): (embed: Embed) => Promise<void> {
  const queryClient = useQueryClient();
  return async (embed) => {
    const agreed = await confirm({
      title: `Revoke “${embedTitle(embed)}”?`,
      message: `${embedDetails(embed)}. Its URL stops working immediately, wherever it is embedded. This cannot be undone.`,
      action: 'Revoke',
    });
    if (!agreed) return;
    try {
      await call('DELETE /api/v1/embeds/{id}', { params: { id: embed.id } });
      toast(`Revoked “${embedTitle(embed)}”.`);
    } catch (error) {
      toastProblem(error);
    }
    await queryClient.invalidateQueries({ queryKey: ['embeds'] });
  };
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

function Chart({ embed }: { readonly embed: Embed }) {
  return (
    <Group gap="sm" wrap="nowrap" align="center">
      <Thumbnail embed={embed} />
      <Stack gap={0}>
        <Text size="sm" fw={600} dir="auto" lineClamp={2}>
          {embedTitle(embed)}
        </Text>
        <Text size="xs" c="dimmed" dir="auto" lineClamp={3} id={detailsId(embed)} style={{ overflowWrap: 'anywhere' }}>
          {embedDetails(embed)}
        </Text>
      </Stack>
    </Group>
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

const detailsId = ({ id }: Embed): string => `embed-${id}`;

function QueryLink({ embed: { queryName } }: { readonly embed: Embed }) {
  return (
    <Anchor renderRoot={(props) => <Link to="/query-to-chart" search={{ query: queryName }} {...props} />}>
      <TechnicalName color="inherit">{queryName}</TechnicalName>
    </Anchor>
  );
}

function Expiry({ embed: { state, expiresAt } }: { readonly embed: Embed }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Time at={expiresAt} never="Never" />
      {state === 'expired' && <StatusBadge status="expired" />}
    </Group>
  );
}

interface ActionsProps {
  readonly embed: Embed;
  readonly mayRegenerate: boolean;
  readonly onPreview: () => void;
  readonly onRegenerate: () => void;
  readonly onRevoke: () => void;
}

function Actions({ embed, mayRegenerate, onPreview, onRegenerate, onRevoke }: ActionsProps) {
  const { embedUrl, state } = embed;
  return (
    <Group gap={2} justify="flex-end" maw={300} ml="auto">
      {embedUrl !== null && state === 'valid' && (
        <>
          <Action embed={embed} label="Preview" icon={IconEye} onClick={onPreview} />
          <CopyButton
            withText
            size="compact-xs"
            variant="subtle"
            value={embedUrl}
            label="Copy URL"
            name={nameOf('Copy URL', embed)}
          />
        </>
      )}
      {mayRegenerate && embedUrl !== null && <EditLink embed={embed} />}
      {mayRegenerate && <Action embed={embed} label="Regenerate Token" icon={IconRefresh} onClick={onRegenerate} />}
      <Action embed={embed} label="Revoke" icon={IconTrash} color="red" onClick={onRevoke} />
    </Group>
  );
}

/** Buttons of different rows have different names; two embeds may have the same title, so they are described as well. */
const nameOf = (label: string, embed: Embed): string => `${label}${label.includes(' ') ? ' of' : ''} ${embedTitle(embed)}`;
const look = { variant: 'subtle', size: 'compact-xs' } as const;

/** Opens Query To Chart with the settings of the embed; Get Embed URL there saves them under the same address. */
function EditLink({ embed }: { readonly embed: Embed }) {
  return (
    <Button
      {...look}
      color="gray"
      leftSection={<IconPencil size={14} aria-hidden />}
      aria-label={nameOf('Edit', embed)}
      aria-describedby={detailsId(embed)}
      renderRoot={(props) => <Link to="/query-to-chart" search={editSearch(embed)} {...props} />}
    >
      Edit
    </Button>
  );
}

/** The placeholder that the service returns for a masked value; the embed keeps the value. */
const MASKED = '***';

function editSearch({ id, queryName, chart, parameters }: Embed): Record<string, string> {
  const [dataColumn, ...moreDataColumns] = [chart.dataColumn].flat().map(String);
  const shown = Object.entries(parameters).filter(([, value]) => value !== MASKED);
  const fields = { ...Object.fromEntries(shown), ...chart, dataColumn, query: queryName, embed: id };
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, Array.isArray(value) ? JSON.stringify(value) : String(value)]],
  );
  return {
    ...Object.fromEntries(texts),
    ...(moreDataColumns.length === 0 ? {} : { moreDataColumns: JSON.stringify(moreDataColumns) }),
    ...(chart.title === '' ? { title: ' ' } : {}), // as written by chart-url.ts
  };
}

function Action(props: {
  readonly embed: Embed;
  readonly label: string;
  readonly icon: typeof IconEye;
  readonly color?: string;
  readonly onClick: () => void;
}) {
  const { embed, label, icon: Icon, color = 'gray', onClick } = props;
  return (
    <Button
      {...look}
      color={color}
      leftSection={<Icon size={14} aria-hidden />}
      aria-label={nameOf(label, embed)}
      aria-describedby={detailsId(embed)}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
