import { Anchor, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Query } from '../../app/wire.ts';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import type { Column } from '../../components/lists/data-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RowActions } from './row-actions.tsx';

export const queryColumns = (onTag: (tag: string) => void): readonly Column<Query>[] => [
  { header: 'Query', render: (query) => <NameCell query={query} /> },
  { header: 'Database', render: ({ database }) => database, width: 100 },
  { header: 'Status', render: (query) => <StatusCell query={query} />, width: 120 },
  { header: 'Tags', render: ({ tags }) => <Tags tags={tags} onTag={onTag} />, width: 190 },
  {
    header: 'Actions',
    headerHidden: true,
    align: 'right',
    width: 220,
    render: (query) => <RowActions query={query} />,
  },
];

const NameCell = ({ query }: { readonly query: Query }) => (
  <Stack gap={2}>
    <Anchor size="sm" fw={600} renderRoot={(props) => <Link to="/queries/$id" params={{ id: query.id }} {...props} />}>
      {query.name}
    </Anchor>
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{query.queryName}</Code>
      <CopyButton value={query.queryName} label={`Copy technical name of ${query.name}`} />
    </Group>
    {query.description !== '' && (
      <Text size="xs" c="dimmed" lineClamp={1}>
        {query.description}
      </Text>
    )}
  </Stack>
);

const StatusCell = ({ query: { status, draft } }: { readonly query: Query }) => (
  <Stack gap={4} align="flex-start">
    <StatusBadge status={status} />
    {draft !== null && (
      <Group gap={4} wrap="nowrap">
        <StatusBadge status={draft.status} />
        <Text size="xs" c="dimmed">
          v{draft.version}
        </Text>
      </Group>
    )}
  </Stack>
);

const Tags = ({ tags, onTag }: { readonly tags: readonly string[]; readonly onTag: (tag: string) => void }) => (
  <Group gap={4}>
    {tags.map((tag) => (
      <Badge
        key={tag}
        component="button"
        type="button"
        variant="default"
        tt="none"
        fw={500}
        style={{ cursor: 'pointer' }}
        aria-label={`Show queries with the tag ${tag}`}
        onClick={() => onTag(tag)}
      >
        {tag}
      </Badge>
    ))}
  </Group>
);
