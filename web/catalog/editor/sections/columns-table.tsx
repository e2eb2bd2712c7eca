import { Code, Select, Table, Text, TextInput } from '@mantine/core';
import { ScrollRegion } from '../../../components/lists/scroll-region.tsx';
import type { ColumnDraft } from '../query-draft.ts';
import { ColumnFormatFields } from './column-format-fields.tsx';

export interface ColumnsTableProps {
  readonly columns: readonly ColumnDraft[];
  readonly found: ReadonlyMap<string, string>; // the type of each result column, by name
  readonly onChange: (column: ColumnDraft) => void;
  readonly errorOf: (name: string, field: string) => string | undefined;
  readonly readOnly: boolean;
}

export function ColumnsTable({ columns, found, onChange, errorOf, readOnly }: ColumnsTableProps) {
  return (
    <ScrollRegion label="Columns of the result" minWidth={650}>
      <Table aria-label="Columns of the result" verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w="22%">
              Column
            </Table.Th>
            <Table.Th scope="col" w="24%">
              Display name
            </Table.Th>
            <Table.Th scope="col" w={132}>
              Class
            </Table.Th>
            <Table.Th scope="col">Format</Table.Th>
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
                  onChange={({ currentTarget: { value } }) => onChange({ ...column, displayName: value })}
                  error={errorOf(column.name, 'displayName') ?? errorOf(column.name, 'name')}
                  readOnly={readOnly}
                />
              </Table.Td>
              <Table.Td>
                <Select
                  aria-label={`Class of ${column.name}`}
                  data={classes}
                  value={column.type ?? 'automatic'}
                  onChange={(type) => onChange({ ...column, type: classOf(type) })}
                  allowDeselect={false}
                  disabled={readOnly}
                />
              </Table.Td>
              <Table.Td>
                <ColumnFormatFields
                  column={column}
                  onChange={(format) => onChange({ ...column, format })}
                  errorOf={(field) => errorOf(column.name, `format.${field}`)}
                  readOnly={readOnly}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

const classes = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'categorical', label: 'Categorical' },
  { value: 'numeric', label: 'Numeric' },
];

const classOf = (value: string | null): ColumnDraft['type'] => (value === 'categorical' || value === 'numeric' ? value : null);
