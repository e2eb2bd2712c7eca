import { Accordion, Badge, Code, Group, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DatabaseSchema } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconSearch } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';

type SchemaTable = DatabaseSchema['tables'][number];

const MAX_SHOWN = 200;

/** The current tables and columns of a database. */
export function SchemaBrowser({ id }: { readonly id: string }) {
  const [text, setText] = useState('');
  const { data, error, refetch } = useQuery({
    queryKey: ['databases', id, 'schema'],
    queryFn: ({ signal }) => call('GET /api/v1/databases/{id}/schema', { params: { id } }, { signal }),
    retry: false,
  });
  if (error !== null) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={240} />;
  const found = data.tables.filter((table) => isMatch(table, text.trim().toLowerCase()));
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        aria-label="Search tables and columns"
        placeholder="Search tables and columns"
        data-autofocus
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {countText(found.length)}
        {found.length > MAX_SHOWN && `, showing the first ${MAX_SHOWN}`}
        {data.truncated && '. The list is incomplete'}
      </Text>
      {found.length === 0 ? (
        <EmptyState title={text === '' ? 'No tables' : `Nothing found for “${text}”`} />
      ) : (
        <Accordion variant="separated" order={3}>
          {found.slice(0, MAX_SHOWN).map((table) => (
            <TableItem key={`${table.schema}.${table.name}`} table={table} />
          ))}
        </Accordion>
      )}
    </Stack>
  );
}

function TableItem({ table }: { readonly table: SchemaTable }) {
  const { schema, name, type, comment, columns } = table;
  return (
    <Accordion.Item value={`${schema}.${name}`}>
      <Accordion.Control>
        <Group gap="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {schema !== '' && (
              <Text span c="dimmed">
                {schema}.
              </Text>
            )}
            {name}
          </Text>
          {type === 'view' && (
            <Badge variant="light" color="gray">
              View
            </Badge>
          )}
        </Group>
        {comment !== undefined && (
          <Text size="xs" c="dimmed">
            {comment}
          </Text>
        )}
      </Accordion.Control>
      <Accordion.Panel>
        <Table aria-label={`Columns of ${name}`} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Column</Table.Th>
              <Table.Th scope="col">Type</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {columns.map((column) => (
              <Table.Tr key={column.name}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {column.name}
                  {column.comment !== undefined && (
                    <Text size="xs" c="dimmed">
                      {column.comment}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Code style={{ overflowWrap: 'anywhere' }}>{column.type}</Code>
                  {!column.nullable && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      not null
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

const isMatch = ({ schema, name, columns }: SchemaTable, text: string): boolean =>
  `${schema}.${name}`.toLowerCase().includes(text) || columns.some((column) => column.name.toLowerCase().includes(text));

const countText = (count: number): string => (count === 1 ? '1 table or view' : `${count} tables and views`);
