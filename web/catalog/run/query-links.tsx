import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import type { Query } from '../../app/wire.ts';
import { IconBraces, IconChartBar, IconPencil } from '../../components/icons.tsx';
import type { ParameterValues } from '../../components/parameters/parameter-values.ts';
import { urlOfValues } from '../../components/parameters/url-values.ts';
import { handOverShown } from '../../components/run/shown-result.ts';

export interface QueryLinksProps {
  readonly query: Query;
  readonly values: ParameterValues;
}

/** Links to the other pages of a query, with the current values. */
export function QueryLinks({ query, values }: QueryLinksProps) {
  const { canManageQueries } = useSession();
  const search = { query: query.queryName, ...urlOfValues(query.parameters, values) };
  return (
    <>
      {query.canRun && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconBraces size={14} aria-hidden />}
          renderRoot={(props) => <Link to="/query-to-json" search={search} {...props} />}
        >
          JSON
        </Button>
      )}
      {query.canRun && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconChartBar size={14} aria-hidden />}
          onClick={() => handOverShown(query.queryName)}
          renderRoot={(props) => <Link to="/query-to-chart" search={search} {...props} />}
        >
          Chart
        </Button>
      )}
      {canManageQueries && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPencil size={14} aria-hidden />}
          renderRoot={(props) => <Link to="/queries/$id/edit" params={{ id: query.id }} {...props} />}
        >
          Edit
        </Button>
      )}
    </>
  );
}
