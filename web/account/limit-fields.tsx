import { Button, Collapse, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId, useState } from 'react';
import { IconChevronDown, IconChevronRight } from '../components/icons.tsx';

/** As typed; empty means no limit. */
export interface LimitValues {
  readonly callsPerSecond: number | string;
  readonly rowsPerDay: number | string;
  readonly concurrent: number | string;
}

export const noLimits: LimitValues = { callsPerSecond: '', rowsPerDay: '', concurrent: '' };

/** The limits for the request; undefined if none was typed. */
export function limitsOf(values: LimitValues): Partial<Record<keyof LimitValues, number>> | undefined {
  const typed = Object.entries(values).filter(([, limit]) => typeof limit === 'number');
  return typed.length === 0 ? undefined : Object.fromEntries(typed);
}

/** Collapsed by default, because few keys need limits; opens if one is invalid. */
export function LimitFields<T extends { readonly limits: LimitValues }>({ form }: { readonly form: UseFormReturnType<T> }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const hasErrors = Object.keys(form.errors).some((path) => path.startsWith('limits.'));
  const isShown = isOpen || hasErrors;
  const Icon = isShown ? IconChevronDown : IconChevronRight;
  return (
    <Stack gap={4}>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        px={0}
        style={{ alignSelf: 'flex-start' }}
        leftSection={<Icon size={16} aria-hidden />}
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setOpen(!isShown)}
      >
        Limits
      </Button>
      <Collapse expanded={isShown} id={id}>
        <Stack gap="xs">
          <Text size="xs" c="dimmed">
            Optional. Calls above a limit are refused. The daily limit resets at midnight UTC.
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
            <Limit label="Calls per second" {...form.getInputProps('limits.callsPerSecond')} />
            <Limit label="Rows per day" {...form.getInputProps('limits.rowsPerDay')} />
            <Limit label="Queries at a time" {...form.getInputProps('limits.concurrent')} />
          </SimpleGrid>
        </Stack>
      </Collapse>
    </Stack>
  );
}

const Limit = (props: { readonly label: string }) => (
  <NumberInput
    placeholder="None"
    min={1}
    allowDecimal={false}
    allowNegative={false}
    thousandSeparator=","
    hideControls
    {...props}
  />
);
