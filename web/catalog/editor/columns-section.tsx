import { Code, Select, Table, Text, TextInput } from '@mantine/core';
import { type ColumnDraft, withColumn } from './query-draft.ts';
import { Section } from './section.tsx';
import type { QueryEditor } from './use-query-editor.ts';

export interface ColumnsSectionProps {
  readonly editor: QueryEditor;
  readonly previewed: readonly { readonly name: string; readonly type: string }[];
  readonly readOnly: boolean;
}

/** How readers see the columns. They are known once the SQL was validated or previewed. */
export function ColumnsSection({ editor, previewed, readOnly }: ColumnsSectionProps) {
  const { draft, change, errors, saved } = editor;
  const validated = saved?.target.resultColumns ?? null;
  const found = new Map([
    ...(validated ?? []).map((column) => [column.name, column.type] as const),
    ...(validated === null ? previewed.map(({ name }) => [name, ''] as const) : []),
  ]);
  const columns: readonly ColumnDraft[] = [
    ...[...found.keys()].map(
      (name) => draft.columns.find((column) => column.name === name) ?? { name, displayName: '', type: null },
    ),
    ...draft.columns.filter(({ name }) => !found.has(name)),
  ];
  const sent = draft.columns.filter(({ displayName, type }) => displayName !== '' || type !== null);
  const errorOf = (name: string) => errors[`columns.${sent.findIndex((column) => column.name === name)}.name`];
  return (
    <Section title="Columns" description="What readers see, and how charts use each column.">
      {columns.length === 0 ? (
        <Text size="sm">Validate or preview the query to see its columns.</Text>
      ) : (
        <Table.ScrollContainer minWidth={520} type="native" tabIndex={0} role="region" aria-label="Columns of the result">
          <Table aria-label="Columns of the result" verticalSpacing={6} layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Column</Table.Th>
                <Table.Th scope="col">Display name</Table.Th>
                <Table.Th scope="col" w={170}>
                  Class
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {columns.map((column) => (
                <Table.Tr key={column.name}>
                  <Table.Td>
                    <Code style={{ overflowWrap: 'anywhere' }}>{column.name}</Code>
                    <Text size="xs" c="dimmed">
                      {found.get(column.name) ?? (found.size > 0 ? 'Not in the result' : '')}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <TextInput
                      aria-label={`Display name of ${column.name}`}
                      placeholder={column.name}
                      value={column.displayName}
                      onChange={({ currentTarget: { value } }) =>
                        change((before) => withColumn(before, { ...column, displayName: value }))
                      }
                      error={errorOf(column.name)}
                      readOnly={readOnly}
                    />
                  </Table.Td>
                  <Table.Td>
                    <Select
                      aria-label={`Class of ${column.name}`}
                      data={classes}
                      value={column.type ?? 'automatic'}
                      onChange={(type) => change((before) => withColumn(before, { ...column, type: classOf(type) }))}
                      allowDeselect={false}
                      disabled={readOnly}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  );
}

const classes = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'categorical', label: 'Categorical' },
  { value: 'numeric', label: 'Numeric' },
];

const classOf = (value: string | null): ColumnDraft['type'] => (value === 'categorical' || value === 'numeric' ? value : null);
