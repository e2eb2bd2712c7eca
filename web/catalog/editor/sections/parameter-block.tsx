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
import { useSession } from '../../../app/session.tsx';
import { MomentInput } from '../../../components/fields/moment-input.tsx';
import { inputKindOf } from '../../../components/parameters/parameter-values.ts';
import type { ParameterDraft } from '../query-draft.ts';
import { BoundTo, Choices } from './parameter-source.tsx';

const types = [
  ...['nvarchar(100)', 'nvarchar(max)', 'int', 'bigint', 'decimal(18,2)', 'float', 'bit'],
  ...['date', 'datetime', 'datetimeoffset', 'time', 'uniqueidentifier'],
];

export interface ParameterBlockProps {
  readonly parameter: ParameterDraft;
  readonly others: readonly ParameterDraft[]; // the other parameters of the query
  readonly onChange: (parameter: ParameterDraft) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly readOnly: boolean;
}

/** The settings of a parameter. */
export function ParameterBlock({ parameter, others, onChange, errorOf, readOnly }: ParameterBlockProps) {
  const { session } = useSession();
  const { name, label, dataType, required, masked, multiple, boundTo, description } = parameter;
  const set = (changes: Partial<ParameterDraft>) => onChange({ ...parameter, ...changes });
  const source = { parameter, others, set, errorOf, readOnly };
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
              label="List of values"
              checked={multiple}
              onChange={({ currentTarget: { checked } }) => set({ multiple: checked })}
              disabled={readOnly}
            />
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
          {boundTo === null && (
            <TextInput
              label="Label on forms"
              placeholder={name}
              value={label}
              onChange={({ currentTarget: { value } }) => set({ label: value })}
              error={errorOf('label')}
              readOnly={readOnly}
            />
          )}
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
          {boundTo === null && <Default {...{ parameter, set, errorOf, readOnly }} timeZone={session.timeZone} />}
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
          {boundTo === null && <Values {...{ parameter, set, errorOf, readOnly }} />}
          <BoundTo {...source} />
        </SimpleGrid>
        {boundTo === null && <Choices {...source} />}
      </Stack>
    </Paper>
  );
}

interface PartProps extends Pick<ParameterBlockProps, 'parameter' | 'errorOf' | 'readOnly'> {
  readonly set: (changes: Partial<ParameterDraft>) => void;
}

function Values({ parameter: { values, valuesOpen }, set, errorOf, readOnly }: PartProps) {
  return (
    <Stack gap={6}>
      <TagsInput
        label={valuesOpen ? 'Suggested values' : 'Allowed values'}
        placeholder={values.length === 0 ? 'Any value, or type one and press Enter' : ''}
        value={[...values]}
        onChange={(chosen) => set({ values: chosen })}
        splitChars={[]}
        acceptValueOnBlur
        error={errorOf('values')}
        readOnly={readOnly}
      />
      {values.length > 0 && (
        <Checkbox
          size="sm"
          label="Allow other values"
          checked={valuesOpen}
          onChange={({ currentTarget: { checked } }) => set({ valuesOpen: checked })}
          error={errorOf('valuesOpen')}
          disabled={readOnly}
        />
      )}
    </Stack>
  );
}

/** A date may be relative to the day of the run. */
function Default({ parameter, set, errorOf, readOnly, timeZone }: PartProps & { readonly timeZone: string }) {
  const { required, dataType, multiple } = parameter;
  const kind = inputKindOf({ name: '', dataType, required });
  const value = parameter.default ?? '';
  const change = (text: string) => set({ default: text === '' ? null : text });
  const placeholder = required ? 'Filled in on forms' : 'Not set';
  const error = errorOf('default');
  if (!multiple && !readOnly && (kind === 'date' || kind === 'datetime'))
    return <MomentInput {...{ kind, label: 'Default', value, placeholder, error, timeZone }} onChange={change} />;
  return (
    <TextInput
      label="Default"
      placeholder={placeholder}
      value={value}
      onChange={({ currentTarget: { value: text } }) => change(text)}
      error={error}
      readOnly={readOnly}
    />
  );
}
