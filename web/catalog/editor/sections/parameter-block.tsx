import {
  Autocomplete,
  Checkbox,
  Code,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ParameterDraft } from '../query-draft.ts';

const types = [
  ...['nvarchar(100)', 'nvarchar(max)', 'int', 'bigint', 'decimal(18,2)', 'float', 'bit'],
  ...['date', 'datetime', 'datetimeoffset', 'time', 'uniqueidentifier'],
];

export interface ParameterBlockProps {
  readonly parameter: ParameterDraft;
  readonly onChange: (parameter: ParameterDraft) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly readOnly: boolean;
}

/** The settings of a parameter. */
export function ParameterBlock({ parameter, onChange, errorOf, readOnly }: ParameterBlockProps) {
  const { name, dataType, required, masked, description, values } = parameter;
  const set = (changes: Partial<ParameterDraft>) => onChange({ ...parameter, ...changes });
  return (
    <Paper withBorder p="sm" role="group" aria-label={name}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Code fz="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Code>
          <Group gap="md">
            <Checkbox
              size="sm"
              label="Required"
              checked={required}
              onChange={({ currentTarget: { checked } }) => set({ required: checked })}
              disabled={readOnly}
            />
            <Checkbox
              size="sm"
              label="Masked in the audit trail"
              checked={masked}
              onChange={({ currentTarget: { checked } }) => set({ masked: checked })}
              disabled={readOnly}
            />
          </Group>
        </Group>
        {errorOf('name') !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {errorOf('name')}
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
          <Autocomplete
            size="sm"
            label="Type"
            data={types}
            // shows all types when the list opens, instead of only those that match the current one
            filter={({ options, search }) =>
              types.includes(search) ? options : options.filter((each) => 'value' in each && each.value.includes(search))
            }
            value={dataType}
            onChange={(type) => set({ dataType: type })}
            error={errorOf('dataType')}
            readOnly={readOnly}
          />
          <TextInput
            label="Default"
            placeholder={required ? 'Filled in on forms' : 'NULL'}
            value={parameter.default ?? ''}
            onChange={({ currentTarget: { value } }) => set({ default: value === '' ? null : value })}
            error={errorOf('default')}
            readOnly={readOnly}
          />
          <Textarea
            label="Description"
            autosize
            minRows={1}
            maxRows={4}
            value={description}
            onChange={({ currentTarget: { value } }) => set({ description: value })}
            error={errorOf('description')}
            readOnly={readOnly}
          />
          <TagsInput
            label="Allowed values"
            placeholder={values.length === 0 ? 'Any value, or type one and press Enter' : ''}
            value={[...values]}
            onChange={(chosen) => set({ values: chosen })}
            splitChars={[]}
            acceptValueOnBlur
            error={errorOf('values')}
            readOnly={readOnly}
          />
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}
