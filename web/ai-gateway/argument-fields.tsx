import { ActionIcon, Autocomplete, Button, Fieldset, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '../components/icons.tsx';
import type { FieldRow, FieldValues, ToolField } from './tool-fields.ts';

export interface ArgumentFieldsProps {
  readonly fields: readonly ToolField[];
  readonly values: FieldValues;
  readonly onChange: (name: string, value: FieldValues[string]) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly queryNames: readonly string[];
}

/** An input for each argument in the tool's schema. */
export function ArgumentFields({ fields, values, onChange, errors, queryNames }: ArgumentFieldsProps) {
  return (
    <Stack gap="sm">
      {fields.map((field) => (
        <ArgumentField
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(value) => onChange(field.name, value)}
          error={errors[field.name]}
          queryNames={queryNames}
        />
      ))}
    </Stack>
  );
}

interface ArgumentFieldProps {
  readonly field: ToolField;
  readonly value: FieldValues[string];
  readonly onChange: (value: FieldValues[string]) => void;
  readonly error: string | undefined;
  readonly queryNames: readonly string[];
}

function ArgumentField({ field, value, onChange, error, queryNames }: ArgumentFieldProps) {
  const { name, description, isRequired, input, choices, minimum, maximum } = field;
  const common = { label: name, description, withAsterisk: isRequired, ...(error === undefined ? {} : { error }) };
  if (input === 'rows') return <Rows field={field} rows={typeof value === 'object' ? value : []} onChange={onChange} />;
  const text = typeof value === 'string' ? value : '';
  if (input === 'choice') {
    return <Select {...common} data={[...choices]} value={text || null} onChange={(word) => onChange(word ?? '')} />;
  }
  if (input === 'whole') {
    return (
      <NumberInput
        {...common}
        value={text}
        onChange={(number) => onChange(String(number))}
        allowDecimal={false}
        placeholder={minimum === undefined || maximum === undefined ? '' : `${minimum} to ${maximum}`}
      />
    );
  }
  if (name === 'queryName')
    return <Autocomplete {...common} data={[...queryNames]} value={text} onChange={onChange} limit={100} />;
  return <TextInput {...common} value={text} onChange={(event) => onChange(event.currentTarget.value)} autoComplete="off" />;
}

interface RowsProps {
  readonly field: ToolField;
  readonly rows: readonly FieldRow[];
  readonly onChange: (rows: readonly FieldRow[]) => void;
}

/** An argument that is a list of objects, with a row of inputs for each object. */
function Rows({ field: { name, description, columns }, rows, onChange }: RowsProps) {
  const change = (index: number, column: string, cell: string) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, [column]: cell } : row)));
  return (
    <Fieldset legend={name} p="sm">
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a row has no other key than its index
          <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
            <Group gap="xs" grow flex={1} preventGrowOverflow={false}>
              {columns.map(({ name: column, isRequired }) => (
                <TextInput
                  key={column}
                  label={column}
                  aria-label={`${column} ${index + 1}`}
                  withAsterisk={isRequired}
                  size="xs"
                  miw={110}
                  autoComplete="off"
                  value={row[column] ?? ''}
                  onChange={(event) => change(index, column, event.currentTarget.value)}
                />
              ))}
            </Group>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name} ${index + 1}`}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...rows, {}])}
        >
          Add
        </Button>
      </Stack>
    </Fieldset>
  );
}
