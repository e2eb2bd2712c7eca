import { Button, Center, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Gateway } from '../app/wire.ts';
import { bytesText } from '../components/bytes-text.ts';

const FEW = 10;

/** How much of each query an assistant gets without asking for a number of rows. */
export function AnswersCard({ answers }: Pick<Gateway, 'answers'>) {
  const [isWhole, setWhole] = useState(answers.length <= FEW + 1);
  if (answers.length === 0) return null;
  return (
    <Paper withBorder p={{ base: 'sm', sm: 'md' }} component="section" aria-label="Size of answers">
      <Stack gap="sm">
        <Title order={2}>Size of answers</Title>
        <Text size="sm" c="dimmed">
          The last answer of each query to an assistant that asked for no number of rows, the largest first. Common assistants
          take about 25,000 tokens; longer results come in pages.
        </Text>
        <Table aria-label="Size of answers" verticalSpacing="xs" horizontalSpacing={6} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Query</Table.Th>
              <Table.Th scope="col" ta="right" w={90}>
                Size
              </Table.Th>
              <Table.Th scope="col" ta="right" w={120}>
                About
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="tabular">
            {answers.slice(0, isWhole ? answers.length : FEW).map(({ queryName, name, bytes, tokens }) => (
              <Table.Tr key={queryName}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
                <Table.Td ta="right">{bytesText(bytes)}</Table.Td>
                <Table.Td ta="right">{tokens.toLocaleString('en')} tokens</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {!isWhole && (
          <Center>
            <Button variant="default" onClick={() => setWhole(true)}>
              Show all {answers.length}
            </Button>
          </Center>
        )}
      </Stack>
    </Paper>
  );
}
