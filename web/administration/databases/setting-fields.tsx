import { NumberInput, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import type { SettingField } from '../../../src/catalog/engine.ts';
import type { DatabaseValues } from './database-form.ts';

interface SettingFieldsProps {
  readonly form: UseFormReturnType<DatabaseValues>;
  readonly fields: readonly SettingField[];
}

/** The settings of an engine: short ones side by side, then long ones, then those that few connections need. */
export function SettingFields({ form, fields }: SettingFieldsProps) {
  const shown = fields.filter(({ section }) => section === undefined);
  const sections = [...new Set(fields.flatMap(({ section }) => section ?? []))];
  const input = (field: SettingField) => <SettingInput key={field.name} form={form} field={field} />;
  const isSet = ({ name }: SettingField): boolean => (form.getValues().settings[name] ?? '') !== '';
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        {shown.filter((field) => !isLong(field)).map(input)}
      </SimpleGrid>
      {shown.filter(isLong).map(input)}
      {sections.map((title) => {
        const folded = fields.filter(({ section }) => section === title);
        return (
          <Options key={title} title={title} areSet={folded.some(isSet)}>
            {folded.map(input)}
          </Options>
        );
      })}
    </>
  );
}

const isLong = ({ input }: SettingField): boolean => input === 'properties';

function SettingInput({ form, field }: { readonly form: SettingFieldsProps['form']; readonly field: SettingField }) {
  const { name, label, description, placeholder, input, options = [] } = field;
  const shared = { label, description, placeholder, ...form.getInputProps(`settings.${name}`) };
  switch (input) {
    case 'text':
      return <TextInput {...shared} />;
    case 'number':
      return <NumberInput hideControls {...shared} />;
    case 'properties':
      return <Textarea autosize minRows={1} maxRows={6} spellCheck={false} {...shared} />;
    case 'options': {
      const data = options.map(({ value, label: text }) => ({ value: value === null ? '' : String(value), label: text }));
      return <Select data={data} allowDeselect={false} {...shared} />;
    }
  }
}

interface OptionsProps {
  readonly title: string;
  readonly areSet: boolean; // open at first
  readonly children: ReactNode;
}

/** Settings that few connections need. */
export function Options({ title, areSet, children }: OptionsProps) {
  const [isOpen] = useState(areSet);
  return (
    <details open={isOpen}>
      <Text size="sm" component="summary" style={{ cursor: 'pointer' }} w="max-content">
        {title}
      </Text>
      <Stack gap="md" mt="sm">
        {children}
      </Stack>
    </details>
  );
}
