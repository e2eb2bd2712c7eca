import {
  Checkbox,
  Code,
  Collapse,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useId, useState } from 'react';
import { useSession } from '../../../app/session.tsx';
import { MomentInput } from '../../../components/fields/moment-input.tsx';
import { IconChevronDown } from '../../../components/icons.tsx';
import { inputKindOf } from '../../../components/parameters/parameter-values.ts';
import type { ParameterDraft } from '../query-draft.ts';
import styles from './parameter-block.module.css';
import { BoundTo, Choices } from './parameter-source.tsx';
import { nameType, TypeField } from './type-field.tsx';

export interface ParameterBlockProps {
  readonly parameter: ParameterDraft;
  readonly others: readonly ParameterDraft[]; // the other parameters of the query
  readonly onChange: (parameter: ParameterDraft) => void;
  readonly errorOf: (field: string) => string | undefined;
  readonly hasErrors: boolean; // opens the settings
  readonly readOnly: boolean;
}

/** A parameter in one line, which opens its settings. */
export function ParameterBlock(props: ParameterBlockProps) {
  const { parameter, hasErrors } = props;
  const [isChosen, setChosen] = useState(false);
  const isOpen = isChosen || hasErrors;
  const id = useId();
  return (
    <Paper withBorder role="group" aria-label={parameter.name}>
      <UnstyledButton className={styles.line} aria-expanded={isOpen} aria-controls={id} onClick={() => setChosen(!isOpen)}>
        <Code fz="sm" fw={600} className={styles.name}>
          {parameter.name}
        </Code>
        <Text size="sm" c="dimmed" className={styles.summary}>
          {summaryOf(parameter)}
        </Text>
        <IconChevronDown size={16} aria-hidden className={styles.chevron} />
      </UnstyledButton>
      <Collapse expanded={isOpen} id={id}>
        {isOpen && <Settings {...props} />}
      </Collapse>
    </Paper>
  );
}

/** `Text · required · default Germany · “Country of the customer”` */
function summaryOf(parameter: ParameterDraft): string {
  const { name, label, dataType, multiple, required, boundTo, values, valuesOpen, choices, masked } = parameter;
  const parts = [
    nameType(dataType),
    ...(multiple ? ['list'] : []),
    boundTo === null ? (required ? 'required' : 'optional') : `from ${boundTo}`,
    ...(parameter.default === null || boundTo !== null ? [] : [`default ${parameter.default}`]),
    ...(values.length === 0 || boundTo !== null ? [] : [`${valuesOpen ? 'suggests' : 'one of'} ${values.join(', ')}`]),
    ...(choices === null || boundTo !== null ? [] : [`choices from ${choices.query}`]),
    ...(masked ? ['masked'] : []),
    ...(label === '' || label === name.slice(1) || boundTo !== null ? [] : [`“${label}”`]),
  ];
  return parts.join(' · ');
}

function Settings({ parameter, others, onChange, errorOf, readOnly }: ParameterBlockProps) {
  const { session } = useSession();
  const { name, label, required, masked, multiple, boundTo, description } = parameter;
  const set = (changes: Partial<ParameterDraft>) => onChange({ ...parameter, ...changes });
  const source = { parameter, others, set, errorOf, readOnly };
  return (
    <Stack gap="xs" className={styles.settings ?? ''}>
      {errorOf('name') !== undefined && (
        <Text size="xs" c="var(--mantine-color-error)">
          {errorOf('name')}
        </Text>
      )}
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
          label="List of values"
          checked={multiple}
          onChange={({ currentTarget: { checked } }) => set({ multiple: checked })}
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
        <TypeField
          value={parameter.dataType}
          onChange={(dataType) => set({ dataType })}
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
