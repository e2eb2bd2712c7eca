import { Grid, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { useSession } from '../app/session.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconUserQuestion } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { FirstStepsCard } from './first-steps-card.tsx';
import { LastDayCard } from './last-day-card.tsx';
import { lastDay } from './last-day.ts';
import { QueryStatesCard } from './query-states-card.tsx';
import { RecentQueriesCard } from './recent-queries-card.tsx';
import { SlowestQueriesCard } from './slowest-queries-card.tsx';
import { useCatalog, useLastDay } from './use-home.ts';

/** An overview: the catalog, the last 24 hours, and the first steps. */
export function HomePage() {
  const { session } = useSession();
  if (session.permissions.length === 0) {
    return (
      <>
        <PageHeader title="Home" />
        <EmptyState title="You have no role yet" icon={IconUserQuestion}>
          Ask an administrator for a role. Your queries then appear here.
        </EmptyState>
      </>
    );
  }
  return <Overview />;
}

function Overview() {
  const { can } = useSession();
  const catalog = useCatalog();
  const trail = useLastDay();
  const entries = useMemo(() => trail.data?.items ?? [], [trail.data]);
  const day = useMemo(() => lastDay(entries, Date.now()), [entries]);
  const queries = catalog.data?.items ?? [];
  const maySeeQueries = catalog.data !== undefined || catalog.isLoading;
  return (
    <>
      <PageHeader
        title="Home"
        actions={can('audit.view') && <CurlButton operation="GET /api/v1/audit" parts={{ query: trail.query }} />}
      />
      <Stack gap="md">
        <ProblemAlert error={catalog.error ?? trail.error} />
        <Grid gap="md">
          {/* next to the figures on a wide screen, above them on a narrow one */}
          <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
            <Stack gap="md">
              <FirstStepsCard queries={queries} entries={entries} isReady={!catalog.isLoading} />
              {maySeeQueries && <RecentQueriesCard queries={queries} entries={entries} isLoading={catalog.isLoading} />}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
            <Stack gap="md">
              {maySeeQueries && <QueryStatesCard catalog={catalog.data} />}
              {can('audit.view') && (
                <>
                  <LastDayCard day={day} trail={trail.data} />
                  <SlowestQueriesCard day={day} trail={trail.data} queries={queries} />
                </>
              )}
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
