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

const AllQueries = () => (
  <Anchor size="sm" underline="always" renderRoot={(props) => <Link to="/queries" {...props} />}>
    All queries
  </Anchor>
);

export const FavoritesCard = ({ favorites }: { readonly favorites: NonNullable<Home['favorites']> }) => (
  <HomeCard title="Favorites">
    <QueryItems queries={favorites} status={({ status }) => (status === 'Active' ? null : status)} />
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
      detail={({ at, by, isNew }) => (
        <>
          {isNew ? 'New' : 'Changed'} <Time at={at} as="relative" />, by {by}
        </>
      )}
    />
  </HomeCard>
);

export const DraftsCard = ({ drafts }: { readonly drafts: NonNullable<Home['drafts']> }) => (
  <HomeCard title="Your drafts">
    <QueryItems
      queries={drafts}
      detail={({ at, status }) => (
        <>
          {status === 'Active' ? 'Draft of an Active query, changed' : 'Changed'} <Time at={at} as="relative" />
        </>
      )}
      status={({ draftStatus }) => draftStatus}
    />
  </HomeCard>
);

export const FailuresCard = ({ failures }: { readonly failures: NonNullable<Home['failures']> }) => (
  <HomeCard title="Failures of your queries">
    <QueryItems
      queries={failures}
      detail={({ at, error, count, calls }) => (
        <>
          {calls === 1 ? 'The only call failed' : `${count} of the last ${calls} calls failed, the last one`}{' '}
          <Time at={at} as="relative" />: {error.replaceAll('_', ' ')}
        </>
      )}
    />
  </HomeCard>
);
