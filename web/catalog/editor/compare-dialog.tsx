import { Modal, Stack, Table, Text, Title } from '@mantine/core';
import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { ScrollRegion } from '../../components/lists/scroll-region.tsx';
import { LazySqlDiff } from '../../sql/lazy-sql.tsx';
import type { QueryContent } from './query-draft.ts';
import { versionChanges } from './version-changes.ts';

export interface Comparison {
  readonly before: { readonly label: string; readonly content: QueryContent };
  readonly after: { readonly label: string; readonly content: QueryContent };
}

export interface CompareDialogProps {
  readonly comparison: Comparison | null; // null: closed
  readonly onClose: () => void;
  readonly dialect: SqlDialect;
}

/** The differences between two versions of a query. */
export function CompareDialog({ comparison, onClose, dialect }: CompareDialogProps) {
  return (
    <Modal opened={comparison !== null} onClose={onClose} title="What changed" size="xl">
      {comparison !== null && (
        <Stack gap="md">
          <Text size="sm">
            From {comparison.before.label} to {comparison.after.label}.
          </Text>
          <Texts title="SQL" before={comparison.before.content.sql} after={comparison.after.content.sql} dialect={dialect} />
          {(comparison.before.content.epilogue ?? '') !== (comparison.after.content.epilogue ?? '') && (
            <Texts
              title="Epilogue"
              before={comparison.before.content.epilogue ?? ''}
              after={comparison.after.content.epilogue ?? ''}
              dialect={dialect}
            />
          )}
          <Others {...comparison} />
        </Stack>
      )}
    </Modal>
  );
}

interface TextsProps {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly dialect: SqlDialect;
}

const Texts = ({ title, before, after, dialect }: TextsProps) => (
  <Stack gap={4}>
    <Title order={3} fz="sm">
      {title}
    </Title>
    {before === after ? (
      <Text size="sm" c="dimmed">
        No changes.
      </Text>
    ) : (
      <LazySqlDiff label={`Changes to the ${title}`} before={before} after={after} dialect={dialect} />
    )}
  </Stack>
);

function Others({ before, after }: Comparison) {
  const changes = versionChanges(before.content, after.content);
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No other changes.
      </Text>
    );
  }
  return (
    <ScrollRegion label="Other changes" minWidth={420}>
      <Table aria-label="Other changes" layout="fixed" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w={110}>
              Field
            </Table.Th>
            <Table.Th scope="col">Before</Table.Th>
            <Table.Th scope="col">After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((change) => (
            <Table.Tr key={change.field}>
              <Table.Th scope="row" fw={500}>
                {change.field}
              </Table.Th>
              <Cell text={change.before} />
              <Cell text={change.after} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

const Cell = ({ text }: { readonly text: string }) => (
  <Table.Td style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', verticalAlign: 'top' }}>
    {text === '' ? <Text c="dimmed">Nothing</Text> : text}
  </Table.Td>
);
