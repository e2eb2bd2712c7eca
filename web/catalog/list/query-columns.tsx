import { Anchor, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import type { Query } from '../../app/wire.ts';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { FigureChart } from '../../components/figures/figure-chart.tsx';
import type { Figure } from '../../components/figures/use-figures.ts';
import { actionsColumn, type Column } from '../../components/lists/data-table.tsx';
import { FavoriteButton } from '../../components/queries/favorite-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import styles from './query-columns.module.css';
import { RowActions } from './row-actions.tsx';

export const queryColumns = (onTag: (tag: string) => void, figures: readonly Figure[]): readonly Column<Query>[] => [
  { header: 'Query', sort: 'name', render: (query) => <NameCell query={query} onTag={onTag} /> },
  { header: 'Database', sort: 'database', render: ({ database }) => database, width: 96 },
  { header: 'Owner', sort: 'owner', render: ({ createdBy }) => createdBy, width: 96 },
  { header: 'Last run', sort: 'lastRun', render: (query) => <LastRunCell query={query} figures={figures} />, width: 136 },
  { header: 'Status', sort: 'status', render: (query) => <StatusBadge {...query} />, width: 152 },
  { width: 208, ...actionsColumn((query) => <RowActions query={query} />) },
];

interface NameCellProps {
  readonly query: Query;
  readonly onTag: (tag: string) => void;
}

/** Two lines: the name with its tags, and the technical name with the description. */
const NameCell = ({ query, onTag }: NameCellProps) => (
  <Stack gap={0} miw={0}>
    <Group gap={6} wrap="nowrap">
      <FavoriteButton query={query} />
      <Anchor
        size="sm"
        fw={600}
        truncate
        className={styles.name}
        renderRoot={(props) => <Link to="/queries/$id" params={{ id: query.id }} {...props} />}
      >
        {query.name}
      </Anchor>
      <Tags tags={query.tags} onTag={onTag} />
    </Group>
    <Group gap={2} wrap="nowrap" className={styles.second}>
      <Code className={styles.technical}>{query.queryName}</Code>
      <CopyButton value={query.queryName} label={`Copy technical name of ${query.name}`} />
      {query.description !== '' && (
        <Text size="xs" c="dimmed" truncate title={query.description}>
          {query.description}
        </Text>
      )}
    </Group>
  </Stack>
);

/** With the figure of its result, if the service still has one. */
function LastRunCell({ query, figures }: { readonly query: Query; readonly figures: readonly Figure[] }) {
  const figure = figures.find(({ id }) => id === query.id);
  return (
    <Stack gap={2}>
      {figure !== undefined && <FigureChart figure={figure} isSmall />}
      <Text size="xs" c="dimmed" component="span">
        <Time at={query.lastRunAt ?? figure?.at ?? null} as="relative" />
      </Text>
    </Stack>
  );
}

interface TagsProps {
  readonly tags: readonly string[];
  readonly onTag: (tag: string) => void;
}

/** One line of whole tags, and how many more there are. The others stay in the focus order, which scrolls them into view. */
function Tags({ tags, onTag }: TagsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState(0); // tags in the lines below
  useLayoutEffect(() => {
    const count = () => {
      const [first, ...others] = [...(box.current?.children ?? [])].map((tag) => tag.getBoundingClientRect().top);
      setMore(others.filter((top) => first !== undefined && top > first).length);
    };
    count();
    const observer = new ResizeObserver(count);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [tags]);
  return (
    <>
      <div ref={box} className={styles.tags}>
        {tags.map((tag) => (
          <Badge
            key={tag}
            component="button"
            type="button"
            variant="default"
            size="sm"
            tt="none"
            fw={500}
            className={styles.tag}
            aria-label={`Show queries with the tag ${tag}`}
            onClick={() => onTag(tag)}
          >
            {tag}
          </Badge>
        ))}
      </div>
      {more > 0 && (
        <Text size="xs" c="dimmed" className={styles.more} aria-hidden title={tags.slice(-more).join(', ')}>
          +{more}
        </Text>
      )}
    </>
  );
}
