import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../app/session.tsx';
import { durationText } from '../components/run/elapsed.tsx';
import { type LastResult, readLastResults } from '../components/run/last-results.ts';
import { Time } from '../components/time.tsx';
import { HomeCard } from './home-card.tsx';
import { LastResultView } from './last-result.tsx';
import { QueryItems } from './query-items.tsx';
import { type Home, type LastRun, MINUTE_MS, runText } from './use-home.ts';

const AllQueries = ({ children = 'All queries' }: { readonly children?: string }) => (
  <Anchor size="sm" underline="always" renderRoot={(props) => <Link to="/queries" {...props} />}>
    {children}
  </Anchor>
);

export const FavoritesCard = ({ favorites }: { readonly favorites: NonNullable<Home['favorites']> }) => (
  <HomeCard title="Favorites">
    <QueryItems
      queries={favorites}
      empty={
        <>
          Mark a query with the star in <AllQueries /> to find it here.
        </>
      }
      status={({ status }) => (status === 'Active' ? null : status)}
    />
  </HomeCard>
);

/** With the outcome of the user's last run, as the audit trail has it, and its result as long as the browser has it. */
export function RecentQueriesCard({ recent }: { readonly recent: NonNullable<Home['recent']> }) {
  const { session } = useSession();
  const kept = readLastResults(session.id);
  return (
    <HomeCard title="Your recent queries" aside={<AllQueries />}>
      <QueryItems
        queries={recent}
        empty="Queries that you run appear here, with their last result."
        detail={({ lastUsedAt, lastRun }) => (
          <>
            <Time at={lastRun?.at ?? lastUsedAt} as="relative" />
            {lastRun !== null && ` · ${runText(lastRun, durationText(lastRun.durationMs))}`}
          </>
        )}
        status={({ status }) => (status === 'Active' ? null : status)}
        result={({ queryName, name, canRun, lastRun }) => {
          const result = canRun ? kept.find((each) => each.queryName === queryName) : undefined;
          return result === undefined ? null : <LastResultView name={name} result={result} isOfLastRun={isOf(result, lastRun)} />;
        }}
      />
    </HomeCard>
  );
}

/** False if the query ran again elsewhere, or failed. The clocks of the browser and the service may differ. */
const isOf = ({ receivedAt }: LastResult, lastRun: LastRun | null): boolean =>
  lastRun === null || (lastRun.outcome === 'ok' && Date.parse(lastRun.at) - receivedAt < MINUTE_MS);

export const NewsCard = ({ news }: { readonly news: NonNullable<Home['news']> }) => (
  <HomeCard title="What is new">
    <QueryItems
      queries={news}
      empty="Nothing new in 30 days."
      detail={({ at, by, isNew }) => (
        <>
          {isNew ? 'New' : 'Changed'} <Time at={at} as="relative" />, by {by}
        </>
      )}
    />
  </HomeCard>
);

export function DraftsCard({ drafts }: { readonly drafts: NonNullable<Home['drafts']> }) {
  const { can } = useSession();
  return (
    <HomeCard title="Your drafts">
      <QueryItems
        queries={drafts}
        empty={
          can('queries.author') ? (
            <>
              Everything that you wrote is published.{' '}
              <Anchor size="sm" underline="always" renderRoot={(props) => <Link to="/queries/new" {...props} />}>
                Write a query
              </Anchor>
            </>
          ) : (
            'You have no drafts.'
          )
        }
        detail={({ at, status }) => (
          <>
            {status === 'Active' ? 'Draft of an Active query, changed' : 'Changed'} <Time at={at} as="relative" />
          </>
        )}
        status={({ draftStatus }) => draftStatus}
      />
    </HomeCard>
  );
}

export const FailuresCard = ({ failures }: { readonly failures: NonNullable<Home['failures']> }) => (
  <HomeCard title="Failures of your queries">
    <QueryItems
      queries={failures}
      empty="None of your queries failed in the last 7 days."
      detail={({ at, error, count, calls }) => (
        <>
          {calls === 1 ? 'The only call failed' : `${count} of the last ${calls} calls failed, the last one`}{' '}
          <Time at={at} as="relative" />: {error.replaceAll('_', ' ')}
        </>
      )}
    />
  </HomeCard>
);
