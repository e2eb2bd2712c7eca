import { Modal, Select, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { SqlDialect } from '../../../src/catalog/sql-dialect.ts';
import { ScrollRegion } from '../../components/lists/scroll-region.tsx';
import { LazySqlDiff } from '../../sql/lazy-sql.tsx';
import { ChangesBetween } from './callers/changes-between.tsx';
import type { QueryContent } from './query-draft.ts';
import { versionChanges } from './version-changes.ts';

/** A version that can be compared with another one. */
export interface Side {
  readonly label: string; // unique: 'Version 3'
  readonly about?: string; // who saved it, and when
  readonly content: QueryContent;
  readonly version?: number; // left out: it is not saved
}

/** The labels of two sides. */
export interface Pair {
  readonly before: string;
  readonly after: string;
}

export interface CompareDialogProps {
  readonly sides: readonly Side[];
  readonly pair: Pair | null; // null: closed
  readonly onClose: () => void;
  readonly dialect: SqlDialect;
  readonly queryId?: string; // compares saved versions for callers, too
}

/** The differences between two versions of a query. If there are more, the user chooses which. */
export function CompareDialog({ pair, onClose, ...props }: CompareDialogProps) {
  return (
    <Modal opened={pair !== null} onClose={onClose} title="What changed" size="xl">
      {pair !== null && <Comparison key={`${pair.before} ${pair.after}`} first={pair} {...props} />}
    </Modal>
  );
}

interface ComparisonProps extends Pick<CompareDialogProps, 'sides' | 'dialect' | 'queryId'> {
  readonly first: Pair;
}

function Comparison({ sides, first, dialect, queryId }: ComparisonProps) {
  const [pair, setPair] = useState(first);
  const sideOf = (label: string) => sides.find((side) => side.label === label);
  const [before, after] = [sideOf(pair.before), sideOf(pair.after)];
  const choice = (name: keyof Pair, label: string, side: Side | undefined) => (
    <Stack gap={4}>
      <Select
        label={label}
        data={sides.map((each) => each.label)}
        value={pair[name]}
        allowDeselect={false}
        onChange={(chosen) => setPair({ ...pair, [name]: chosen ?? pair[name] })}
        description={side?.about ?? ''}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      {side !== undefined && (side.content.note ?? '') !== '' && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {side.content.note}
        </Text>
      )}
    </Stack>
  );
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {choice('before', 'From', before)}
        {choice('after', 'To', after)}
      </SimpleGrid>
      {queryId !== undefined && before?.version !== undefined && after?.version !== undefined && (
        <ChangesBetween id={queryId} from={before.version} to={after.version} />
      )}
      {before !== undefined && after !== undefined && <Differences before={before} after={after} dialect={dialect} />}
    </Stack>
  );
}

interface DifferencesProps {
  readonly before: Side;
  readonly after: Side;
  readonly dialect: SqlDialect;
}

function Differences({ before, after, dialect }: DifferencesProps) {
  const [was, is] = [before.content, after.content];
  return (
    <>
      <Texts title="SQL" before={was.sql} after={is.sql} dialect={dialect} />
      {(was.epilogue ?? '') !== (is.epilogue ?? '') && (
        <Texts title="Epilogue" before={was.epilogue ?? ''} after={is.epilogue ?? ''} dialect={dialect} />
      )}
      <Others before={was} after={is} />
    </>
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

function Others({ before, after }: { readonly before: QueryContent; readonly after: QueryContent }) {
  const changes = versionChanges(before, after);
  if (changes.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No other changes.
      </Text>
    );
  }
  return (
    <ScrollRegion label="Other changes" minWidth={320}>
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
