import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ResponseOf } from '../app/api.ts';
import type { Query } from '../app/wire.ts';
import { durationText } from '../components/run/elapsed.tsx';
import { HomeCard } from './home-card.tsx';
import type { LastDay, SlowQuery } from './last-day.ts';

export interface SlowestQueriesCardProps {
  readonly day: LastDay;
  readonly trail: ResponseOf<'GET /api/v1/audit'> | undefined;
  readonly queries: readonly Query[];
}

/** The queries with the slowest calls. */
export function SlowestQueriesCard({ day: { slowest }, trail, queries }: SlowestQueriesCardProps) {
  return (
    <HomeCard title="Slowest queries" isLoading={trail === undefined}>
      {slowest.length === 0 ? (
        <Text size="sm" c="dimmed">
          No queries ran in the last 24 hours.
        </Text>
      ) : (
        <Table aria-label="Slowest queries" verticalSpacing="xs" horizontalSpacing={6} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Query</Table.Th>
              <Table.Th scope="col" ta="right" w={64} visibleFrom="xs">
                Calls
              </Table.Th>
              <Table.Th scope="col" ta="right" w={80}>
                Median
              </Table.Th>
              <Table.Th scope="col" ta="right" w={80}>
                Slowest
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="tabular">
            {slowest.map((slow) => (
              <Table.Tr key={slow.queryName}>
                <Table.Td>
                  <QueryLink slow={slow} query={queries.find(({ queryName }) => queryName === slow.queryName)} />
                </Table.Td>
                <Table.Td ta="right" visibleFrom="xs">
                  {slow.calls.toLocaleString('en')}
                </Table.Td>
                <Table.Td ta="right">{durationText(slow.medianMs)}</Table.Td>
                <Table.Td ta="right">{durationText(slow.slowestMs)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </HomeCard>
  );
}

/** Without a link for auditors, who may not see the catalog. */
function QueryLink({ slow, query }: { readonly slow: SlowQuery; readonly query: Query | undefined }) {
  return (
    <Anchor
      size="sm"
      style={{ overflowWrap: 'anywhere' }}
      renderRoot={(props) =>
        query === undefined ? (
          <Link to="/audit" search={{ query: slow.queryName }} {...props} />
        ) : (
          <Link to="/queries/$id" params={{ id: query.id }} {...props} />
        )
      }
    >
      {query?.name ?? slow.queryName}
    </Anchor>
  );
}
