import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import type { Query } from '../../app/wire.ts';

const look = { variant: 'subtle', size: 'compact-sm', flex: 'none' } as const;

/** The actions that the user may perform on a query. */
export function RowActions({ query: { id, queryName, canRun } }: { readonly query: Query }) {
  const { canManageQueries } = useSession();
  return (
    <Group gap={0} justify="flex-end" wrap="nowrap">
      {canRun && (
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
      {canManageQueries && (
        <Button {...look} renderRoot={(props) => <Link to="/queries/$id/edit" params={{ id }} {...props} />}>
          Edit
        </Button>
      )}
    </Group>
  );
}
