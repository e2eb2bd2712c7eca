import { Group, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import type { QueryStatus } from '../app/wire.ts';
import { HomeCard } from './home-card.tsx';
import classes from './home.module.css';
import type { Home } from './use-home.ts';

const states: readonly QueryStatus[] = ['Active', 'Draft', 'Validated', 'Inactive', 'Void'];
const colors: Readonly<Record<QueryStatus, string>> = {
  Active: 'teal',
  Draft: 'yellow',
  Validated: 'petrol',
  Inactive: 'gray',
  Void: 'gray',
};

/** The number of queries in each state, with links to them. */
export function QueryStatesCard({ counts }: { readonly counts: NonNullable<Home['queries']> }) {
  const { canManageQueries } = useSession();
  // other users see Active queries only
  const shown = canManageQueries ? states : states.slice(0, 1);
  return (
    <HomeCard title="Queries">
      <SimpleGrid cols={{ base: 2, xs: 3, md: 2 }} spacing="xs">
        {shown.map((status) => (
          <UnstyledButton
            key={status}
            className={classes.figure ?? ''}
            renderRoot={(props) => <Link to="/queries" search={{ status }} {...props} />}
          >
            <Text size="xl" fw={600} lh={1.2} className="tabular">
              {counts[status].toLocaleString('en')}
            </Text>
            <Group gap={6} wrap="nowrap">
              <span className={classes.dot} style={{ background: `var(--mantine-color-${colors[status]}-filled)` }} />
              <Text size="sm" c="dimmed">
                {status}
              </Text>
            </Group>
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </HomeCard>
  );
}
