import { Anchor, Grid, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyPage } from '../components/empty-page.tsx';
import { IconUserQuestion } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { FiguresCard } from './figures-card.tsx';
import { FirstStepsCard } from './first-steps-card.tsx';
import classes from './home.module.css';
import { LastDayCard } from './last-day-card.tsx';
import { DraftsCard, FailuresCard, FavoritesCard, NewsCard, RecentQueriesCard } from './own-cards.tsx';
import { QueryStatesCard } from './query-states-card.tsx';
import { EndingKeysCard, FailingDatabasesCard, LoadCard } from './service-cards.tsx';
import { SlowestQueriesCard } from './slowest-queries-card.tsx';
import { type Home, useHome } from './use-home.ts';

/** The user's queries, then what they administer. */
export function HomePage() {
  const { session } = useSession();
  if (session.permissions.length === 0) {
    return (
      <EmptyPage page="Home" title="You have no role yet" icon={IconUserQuestion}>
        Ask an administrator for a role. Your queries then appear here.
      </EmptyPage>
    );
  }
  return <Overview />;
}

function Overview() {
  const { can } = useSession();
  const home = useHome();
  const isEmpty = home.data?.queries?.Active === 0; // then the first steps are the content of the page
  const showsDay = can('audit.view') && home.data?.lastDay?.calls !== 0;
  return (
    <>
      <PageHeader title="Home" actions={<CurlButton operation="GET /api/v1/home" />} />
      <Stack gap="md">
        <ProblemAlert error={home.error} onRetry={() => void home.refetch()} />
        <Grid gap="md">
          {/* next to the queries on a wide screen, below them on a narrow one */}
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="md">
              {isEmpty && <FirstStepsCard home={home.data} />}
              <FiguresCard />
              <OwnCards home={home.data} isLoading={home.isPending} />
              {showsDay && <SlowestQueriesCard day={home.data?.lastDay} />}
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="md">
              {!isEmpty && <FirstStepsCard home={home.data} />}
              {home.data !== undefined && <ServiceCards home={home.data} />}
              {showsDay && <LastDayCard day={home.data?.lastDay} />}
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}

/** The user's own queries and results. */
function OwnCards({ home, isLoading }: { readonly home: Home | undefined; readonly isLoading: boolean }) {
  if (home === undefined) return isLoading && <Skeleton height={240} aria-label="Loading your queries" role="status" />;
  const { favorites = [], recent = [], news = [], drafts = [], failures = [] } = home;
  return (
    <>
      {recent.length > 0 && <RecentQueriesCard recent={recent} />}
      {/* without content, it must not be a gap */}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" className={classes.own ?? ''}>
        {favorites.length > 0 && <FavoritesCard favorites={favorites} />}
        {failures.length > 0 && <FailuresCard failures={failures} />}
        {drafts.length > 0 && <DraftsCard drafts={drafts} />}
        {news.length > 0 && <NewsCard news={news} />}
      </SimpleGrid>
      <NothingElse home={home} />
    </>
  );
}

/** What has no card because it is empty, in one line. */
function NothingElse({ home: { favorites, recent, news, drafts, failures } }: { readonly home: Home }) {
  const { can } = useSession();
  const empty = [
    recent?.length === 0 && 'no runs',
    favorites?.length === 0 && 'no favorites',
    drafts?.length === 0 && 'no drafts',
    failures?.length === 0 && 'no failures in 7 days',
    news?.length === 0 && 'nothing new in 30 days',
  ].filter((each) => each !== false);
  const text = new Intl.ListFormat('en').format(empty);
  if (text === '') return null;
  return (
    <Text size="sm" c="dimmed">
      {`${text.slice(0, 1).toUpperCase()}${text.slice(1)}. `}
      <TextLink to="/queries">All queries</TextLink>
      {can('queries.author') && (
        <>
          {' · '}
          <TextLink to="/queries/new">Write a query</TextLink>
        </>
      )}
    </Text>
  );
}

const TextLink = ({ to, children }: { readonly to: string; readonly children: string }) => (
  <Anchor size="sm" underline="always" style={{ whiteSpace: 'nowrap' }} renderRoot={(props) => <Link to={to} {...props} />}>
    {children}
  </Anchor>
);

/** The state of the service, as far as the person looks after it. */
const ServiceCards = ({ home: { endingKeys, load, failingDatabases, queries } }: { readonly home: Home }) => (
  <>
    {failingDatabases !== undefined && <FailingDatabasesCard databases={failingDatabases} />}
    <EndingKeysCard keys={endingKeys} />
    {load !== undefined && load.running + load.waiting > 0 && <LoadCard load={load} />}
    {queries !== undefined && <QueryStatesCard counts={queries} />}
  </>
);
