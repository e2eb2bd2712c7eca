import { SimpleGrid } from '@mantine/core';
import { useSession } from '../app/session.tsx';
import type { QueryStatus } from '../app/wire.ts';
import { Figure, HomeCard } from './home-card.tsx';
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
  const shown = canManageQueries ? states.filter((status) => status === 'Active' || counts[status] > 0) : states.slice(0, 1);
  return (
    <HomeCard title="Queries">
      <SimpleGrid cols={{ base: 2, xs: 3, md: 2 }} spacing="xs">
        {shown.map((status) => (
          <Figure
            key={status}
            count={counts[status]}
            label={status}
            {...(status === 'Active' && counts.activeDrafts > 0 ? { detail: `${counts.activeDrafts} with a draft` } : {})}
            to="/queries"
            search={{ status }}
            dot={colors[status]}
          />
        ))}
      </SimpleGrid>
    </HomeCard>
  );
}
