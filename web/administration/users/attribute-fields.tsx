import { ActionIcon, Button, Group, Input, Stack, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '../../components/icons.tsx';
import type { AttributeValues, UserValues } from './user-form.ts';

interface AttributeFieldsProps {
  readonly form: UseFormReturnType<UserValues>;
  readonly locked: readonly string[]; // `attributes.region`
}

/** Names with one or several values each, to which queries may be bound. */
export function AttributeFields({ form, locked }: AttributeFieldsProps) {
  const { attributes } = form.getValues();
  const set = (changed: AttributeValues[]) => form.setFieldValue('attributes', changed);
  const replace = (index: number, changed: AttributeValues) => set(attributes.map((each, at) => (at === index ? changed : each)));
  const lockedIds = form
    .getInitialValues()
    .attributes.filter(({ name }) => locked.includes(`attributes.${name}`))
    .map(({ id }) => id);
  const isLocked = ({ id }: AttributeValues) => lockedIds.includes(id);
  return (
    <Input.Wrapper
      label="Attributes"
      labelElement="div"
      description={
        form.values.kind === 'application'
          ? 'Values that limit the rows that its API keys see, such as region = North. Its viewers have those of their tokens.'
          : 'Values that limit the rows the user sees, such as region = North.'
      }
      error={form.errors.attributes}
    >
      <Stack gap="xs" mt={6} role="group" aria-label="Attributes">
        {attributes.map((attribute, index) => (
          <Group key={attribute.id} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={`Name of attribute ${index + 1}`}
              placeholder="region"
              value={attribute.name}
              onChange={({ currentTarget: { value } }) => replace(index, { ...attribute, name: value })}
              spellCheck={false}
              autoCapitalize="none"
              w={160}
              disabled={isLocked(attribute)}
            />
            <TagsInput
              aria-label={`Values of attribute ${index + 1}`}
              placeholder={attribute.values.length === 0 ? 'Value, then Enter' : ''}
              value={attribute.values}
              onChange={(values) => replace(index, { ...attribute, values })}
              acceptValueOnBlur
              flex={1}
              disabled={isLocked(attribute)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove attribute ${index + 1}`}
              disabled={isLocked(attribute)}
              onClick={() => set(attributes.filter((_, at) => at !== index))}
            >
              <IconTrash aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus aria-hidden />}
            onClick={() => set([...attributes, { id: Math.max(0, ...attributes.map(({ id }) => id)) + 1, name: '', values: [] }])}
          >
            Add attribute
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
