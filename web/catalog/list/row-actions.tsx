import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { can } from '../../app/session.tsx';
import type { Query, Session } from '../../app/wire.ts';
import { mayRun } from '../../components/may-run.ts';

const look = { variant: 'subtle', size: 'compact-sm' } as const;

/** What this person can do with a query, and nothing else. */
export function RowActions({ query, session }: { readonly query: Query; readonly session: Session }) {
  const { id, queryName } = query;
  const isRunnable = mayRun(session, query);
  const isEditable = can(session, 'queries.author') || can(session, 'queries.publish');
  return (
    <Group gap={0} justify="flex-end" wrap="nowrap">
      {isRunnable && (
        <>
          <Button {...look} renderRoot={(props) => <Link to="/queries/$id" params={{ id }} {...props} />}>
            Run
          </Button>
          <Button {...look} renderRoot={(props) => <Link to="/query-to-json" search={{ query: queryName }} {...props} />}>
            JSON
          </Button>
          <Button {...look} renderRoot={(props) => <Link to="/query-to-chart" search={{ query: queryName }} {...props} />}>
            Chart
          </Button>
        </>
      )}
      {isEditable && (
        <Button {...look} renderRoot={(props) => <Link to="/queries/$id/edit" params={{ id }} {...props} />}>
          Edit
        </Button>
      )}
    </Group>
  );
}
