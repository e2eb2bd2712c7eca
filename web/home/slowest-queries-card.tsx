import { Anchor, Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { durationText } from '../components/run/elapsed.tsx';
import { TechnicalName } from '../components/technical-name.tsx';
import { HomeCard } from './home-card.tsx';
import type { LastDay } from './use-home.ts';

/** The queries with the slowest calls. */
export function SlowestQueriesCard({ day }: { readonly day: LastDay | undefined }) {
  const slowest = day?.slowest ?? [];
  if (day !== undefined && slowest.length === 0) return null;
  return (
    <HomeCard title="Slowest queries" isLoading={day === undefined}>
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
                <QueryLink slow={slow} />
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
    </HomeCard>
  );
}

/** Without a link for auditors, who may not see the catalog. */
function QueryLink({ slow: { id, name, queryName } }: { readonly slow: LastDay['slowest'][number] }) {
  return (
    <Anchor
      size="sm"
      style={{ overflowWrap: 'anywhere' }}
      renderRoot={(props) =>
        id === null ? (
          <Link to="/audit" search={{ query: queryName }} {...props} />
        ) : (
          <Link to="/queries/$id" params={{ id }} {...props} />
        )
      }
    >
      {name ?? <TechnicalName color="inherit">{queryName}</TechnicalName>}
    </Anchor>
  );
}
