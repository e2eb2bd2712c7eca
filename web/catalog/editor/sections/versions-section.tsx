import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../../app/api.ts';
import type { QueryVersion } from '../../../app/wire.ts';
import { confirm } from '../../../components/confirm.tsx';
import { CurlButton } from '../../../components/copy/curl-button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { actionsColumn, type Column, DataTable } from '../../../components/lists/data-table.tsx';
import { useList } from '../../../components/lists/use-list.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { momentText, Time } from '../../../components/time.tsx';
import { toast } from '../../../components/toast.ts';
import { CompareDialog, type Pair, type Side } from '../compare-dialog.tsx';
import { contentOf } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

export interface VersionsSectionProps {
  readonly editor: QueryEditor;
  readonly id: string;
}

/** All saved versions of a query. */
export function VersionsSection({ editor, id }: VersionsSectionProps) {
  const [pair, setPair] = useState<Pair | null>(null);
  const list = useList(['queries', id, 'versions'], (cursor, signal) =>
    call('GET /api/v1/queries/{id}/versions', { params: { id }, query: { limit: 20, cursor } }, { signal }),
  );
  const { saved, isDirty, draft, dialect } = editor;
  const sides: readonly Side[] = [
    ...(isDirty ? [{ label: IN_EDITOR, about: 'Not saved yet.', content: contentOf(draft, dialect) }] : []),
    ...list.items.map((version) => ({
      label: labelOf(version),
      about: describeVersion(version),
      content: version,
      version: version.version,
    })),
  ];
  /** Compares a version with the one before it; the first and the edited version with the newest. */
  const compare = (version: QueryVersion) => {
    const label = labelOf(version);
    const former = list.items.find((other) => other.version < version.version);
    const isEdited = isDirty && version.version === saved?.target.version;
    if (former === undefined || isEdited) setPair({ before: label, after: sides[0]?.label ?? label });
    else setPair({ before: labelOf(former), after: label });
  };
  const restore = async (version: QueryVersion) => {
    const isAgreed = await confirm({
      title: `Restore version ${version.version}?`,
      message: restoreText(editor, version.version),
      action: 'Restore',
      danger: editor.isDirty,
    });
    if (!isAgreed) return;
    const next = await editor.restoreVersion(version.version);
    if (next !== null) toast(`Version ${version.version} was restored as version ${next.target.version}.`, 'Restored');
  };
  const columns: readonly Column<QueryVersion>[] = [
    {
      header: 'Version',
      render: ({ version, status }) => (
        <Group gap="xs" wrap="nowrap">
          <span className="tabular">{version}</span>
          {status !== null && saved !== null && (
            <StatusBadge status={status === 'current' ? saved.current.status : (saved.current.draft?.status ?? 'Draft')} />
          )}
        </Group>
      ),
    },
    { header: 'Saved', width: 150, render: ({ createdAt }) => <Time at={createdAt} as="relative" /> },
    {
      header: 'By',
      render: ({ createdBy, note }) => (
        <Stack gap={2}>
          {createdBy}
          {note !== '' && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {note}
            </Text>
          )}
        </Stack>
      ),
    },
    actionsColumn((version) => (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        <Button variant="subtle" size="compact-sm" onClick={() => compare(version)}>
          Compare
        </Button>
        {saved?.current.canEdit === true && version.version !== saved.target.version && (
          <Button variant="subtle" size="compact-sm" onClick={() => void restore(version)}>
            Restore
          </Button>
        )}
      </Group>
    )),
  ];
  return (
    <Section
      title="Versions"
      description="Each save creates a version."
      actions={<CurlButton operation="GET /api/v1/queries/{id}/versions" parts={{ params: { id } }} />}
    >
      <DataTable
        label="Saved versions"
        list={list}
        columns={columns}
        rowKey={({ version }) => String(version)}
        empty={<EmptyState title="No versions" />}
        minWidth={420}
      />
      <CompareDialog queryId={id} sides={sides} pair={pair} onClose={() => setPair(null)} dialect={dialect} />
    </Section>
  );
}

const IN_EDITOR = 'The editor';

const labelOf = ({ version }: QueryVersion): string => `Version ${version}`;

const describeVersion = ({ createdAt, createdBy }: QueryVersion): string => `Saved ${momentText(createdAt)} by ${createdBy}.`;

function restoreText({ saved, isDirty }: QueryEditor, version: number): string {
  const isActive = saved?.current.status === 'Active';
  return [
    `Version ${version} is restored as a new version, which you then validate and activate.`,
    'Roles and AI access do not change.',
    isActive ? 'Its description, tip and tags apply to callers immediately.' : '',
    isDirty ? 'Your unsaved changes are lost.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
