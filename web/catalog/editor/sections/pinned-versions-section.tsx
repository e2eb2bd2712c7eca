import { Button, Code, Group, Modal, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../app/api.ts';
import type { Query, QueryVersion } from '../../../app/wire.ts';
import { CopyButton } from '../../../components/copy/copy-button.tsx';
import { CurlButton } from '../../../components/copy/curl-button.tsx';
import { countText } from '../../../components/count-text.ts';
import { actionsColumn, type Column, DataTable } from '../../../components/lists/data-table.tsx';
import { useList } from '../../../components/lists/use-list.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { CALLER_DAYS, callersOf, countCallers } from '../callers/affected-texts.ts';
import { RetireForm } from '../callers/retire-form.tsx';
import { Section } from './section.tsx';

const COUNT_AGAIN_MS = 60_000;

/** The versions that callers can name, and who calls them. */
export function PinnedVersionsSection({ query: { id, queryName, status } }: { readonly query: Query }) {
  const [retiring, setRetiring] = useState<QueryVersion | null>(null);
  const [isOpen, setOpen] = useState(false);
  const list = useList(['queries', id, 'versions', 'activated'], (cursor, signal) =>
    call('GET /api/v1/queries/{id}/versions', { params: { id }, query: { activated: 'true', limit: 20, cursor } }, { signal }),
  );
  const used = useQuery({
    queryKey: ['queries', id, 'callers'],
    queryFn: ({ signal }) =>
      call('GET /api/v1/queries/{id}/callers', { params: { id }, query: { days: CALLER_DAYS } }, { signal }),
    staleTime: COUNT_AGAIN_MS,
    enabled: list.items.length > 0,
  });
  if (!list.isLoading && list.items.length === 0 && list.error === null) return null; // never Active
  const replacedAt = ({ activatedAs }: QueryVersion) =>
    list.items.findLast((each) => (each.activatedAs ?? 0) > (activatedAs ?? 0))?.activatedAt ?? null;
  const columns: readonly Column<QueryVersion>[] = [
    {
      header: 'Version',
      render: ({ activatedAs, ...version }) => (
        <Group gap="xs">
          <Group gap={4} wrap="nowrap">
            <Code style={{ overflowWrap: 'anywhere' }}>{`${queryName}@${activatedAs}`}</Code>
            <CopyButton value={`${queryName}@${activatedAs}`} label={`Copy the name of version ${activatedAs}`} />
          </Group>
          <State version={version} status={status} />
        </Group>
      ),
    },
    { header: 'Activated', width: 160, render: ({ activatedAt }) => <Time at={activatedAt} never="Not known" as="relative" /> },
    {
      header: 'Callers',
      width: 130,
      render: (version) => {
        if (used.data === undefined) return used.error === null ? '…' : 'Not known';
        const callers = callersOf(used.data.callers, version.activatedAs ?? 0, replacedAt(version));
        return used.data.moreCallers > 0
          ? `At least ${countText(countCallers(callers), 'caller')}`
          : countText(countCallers(callers), 'caller');
      },
    },
    actionsColumn(
      (version) =>
        version.canRetire && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`${version.retiresAt === null ? 'Retire' : 'Change the retirement of'} version ${version.activatedAs}`}
            onClick={() => {
              setRetiring(version);
              setOpen(true);
            }}
          >
            {version.retiresAt === null ? 'Retire…' : 'Change…'}
          </Button>
        ),
    ),
  ];
  return (
    <Section
      title="Versions for callers"
      description={`Callers can name a version that was activated. Counted are callers of the last ${CALLER_DAYS} days; of earlier versions, those who called after they were replaced.`}
      actions={<CurlButton operation="GET /api/v1/queries/{id}/callers" parts={{ params: { id } }} />}
    >
      <DataTable
        label="Activated versions"
        list={list}
        columns={columns}
        rowKey={({ version }) => String(version)}
        empty={null}
        minWidth={520}
      />
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Retire version ${retiring?.activatedAs}`} size="lg">
        {retiring !== null && (
          <RetireForm
            {...{ id, queryName }}
            version={retiring}
            replacedAt={replacedAt(retiring)}
            onClose={() => setOpen(false)}
          />
        )}
      </Modal>
    </Section>
  );
}

interface StateProps {
  readonly version: Pick<QueryVersion, 'status' | 'retiresAt'>;
  readonly status: Query['status'];
}

/** Whether callers get a version, and until when they can name it. */
function State({ version: { status: standing, retiresAt }, status }: StateProps) {
  if (standing === 'current') return <StatusBadge status={status} />;
  if (retiresAt === null) return null;
  if (Date.parse(retiresAt) <= Date.now()) return <StatusBadge status="Retired" />;
  return (
    <Text span size="sm">
      Retires on <Time at={retiresAt} />
    </Text>
  );
}
