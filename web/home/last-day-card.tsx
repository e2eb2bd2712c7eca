import { Box, Group, SimpleGrid, Text } from '@mantine/core';
import { clockText } from '../components/time.tsx';
import { Figure, HomeCard } from './home-card.tsx';
import classes from './home.module.css';
import type { LastDay } from './use-home.ts';

/** Calls and errors of the last 24 hours. */
export function LastDayCard({ day }: { readonly day: LastDay | undefined }) {
  const since = day?.since ?? null;
  return (
    <HomeCard
      title="Last 24 hours"
      isLoading={day === undefined}
      aside={
        since !== null && (
          <Text size="xs" c="dimmed">
            Of the last 1,000 calls, since {clockText(since)}
          </Text>
        )
      }
    >
      <SimpleGrid cols={3} spacing="xs">
        <Figure count={day?.calls ?? 0} isLeast={since !== null} label="Calls" to="/audit" />
        <Figure count={day?.failed ?? 0} label="Failed" to="/audit" search={{ outcome: 'failed' }} isBad />
        <Figure count={day?.refused ?? 0} label="Refused" to="/audit" search={{ outcome: 'refused' }} isBad />
      </SimpleGrid>
      {/* with truncated data, the earlier hours would look idle */}
      {since === null && day !== undefined && day.calls > 0 && <Hours hours={day.hours} />}
    </HomeCard>
  );
}

function Hours({ hours }: { readonly hours: LastDay['hours'] }) {
  const most = Math.max(...hours.map(({ calls }) => calls));
  const share = (count: number) => (count === 0 ? 0 : `${Math.max(3, (count / most) * 100)}%`);
  return (
    <Box>
      <div className={classes.hours} role="img" aria-label={`Calls per hour, at most ${most}`}>
        {hours.map(({ calls, errors }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the index is the hour
          <div key={index} className={classes.hour} title={hourText(index, hours.length, calls, errors)}>
            <div className={classes.errors} style={{ height: share(errors) }} />
            <div className={classes.calls} style={{ height: share(calls - errors) }} />
          </div>
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          24 hours ago
        </Text>
        <Text size="xs" c="dimmed">
          Now
        </Text>
      </Group>
    </Box>
  );
}

function hourText(index: number, count: number, calls: number, errors: number): string {
  const ago = count - 1 - index;
  const when = ago === 0 ? 'The last hour' : `${ago} to ${ago + 1} hours ago`;
  return `${when}: ${calls} calls, ${errors} errors`;
}
