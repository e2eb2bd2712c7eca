import '@mantine/dates/styles.css';
import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { DatePicker, TimeInput } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import dayjs from 'dayjs';
import type { ReactNode } from 'react';
import { IconCalendar, IconClock } from '../icons.tsx';
import { relativePresets, previewRelative } from './relative-moments.ts';

export interface MomentInputProps {
  readonly kind: 'date' | 'datetime' | 'time';
  readonly label: string;
  readonly value: string; // ISO 8601, or invalid input, which the service reports
  readonly defaultValue?: string | undefined; // the date at which the calendar opens without a value
  readonly onChange: (value: string) => void;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly labelProps?: { readonly 'data-mark': string };
  readonly disabled?: boolean;
  readonly error?: ReactNode;
  readonly inputWrapperOrder?: ('label' | 'input' | 'error' | 'description')[];
  readonly menu?: ReactNode; // more buttons on the right
  readonly timeZone?: string; // offers relative moments, evaluated in this zone
}

const placeholders = { date: 'YYYY-MM-DD', datetime: 'YYYY-MM-DDThh:mm:ss', time: 'hh:mm:ss' };

/** A date or time that can be typed as text and chosen from a calendar. */
export function MomentInput({
  kind,
  label,
  value,
  defaultValue = '',
  onChange,
  placeholder = '',
  menu,
  disabled = false,
  timeZone,
  description,
  ...rest
}: MomentInputProps) {
  const [opened, popover] = useDisclosure(false);
  const [date = '', time = ''] = kind === 'time' ? ['', value] : value.split(/[T ]/);
  const opensOn = [value, defaultValue].map((text) => dayOf(text, timeZone)).find(isDate);
  const setDate = (chosen: string | null) => {
    if (chosen === null) return;
    onChange(kind === 'date' ? chosen : `${chosen}T${time || '00:00:00'}`);
    if (kind === 'date') popover.close();
  };
  const setTime = (chosen: string) => onChange(kind === 'time' ? chosen : `${date || today()}T${chosen}`);
  const preview = kind === 'time' || timeZone === undefined ? null : previewRelative(value, kind, timeZone, Date.now());
  const Icon = kind === 'time' ? IconClock : IconCalendar;
  return (
    <TextInput
      {...rest}
      label={label}
      description={preview === null ? description : `${preview} (${timeZone})`}
      disabled={disabled}
      value={value}
      placeholder={placeholder === '' ? placeholders[kind] : placeholder}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSectionWidth={menu === undefined ? 36 : 64}
      rightSection={
        <Group gap={0} wrap="nowrap">
          <Popover
            opened={opened}
            onChange={(open) => !open && popover.close()}
            position="bottom-end"
            trapFocus
            returnFocus
            withinPortal
          >
            <Popover.Target>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={disabled}
                onClick={popover.toggle}
                aria-label={`Choose ${label.replace('@', '')}`}
              >
                <Icon size={16} />
              </ActionIcon>
            </Popover.Target>
            <Popover.Dropdown>
              <Stack gap="sm">
                {kind !== 'time' && timeZone !== undefined && (
                  <Presets
                    onChoose={(expression) => {
                      onChange(expression);
                      popover.close();
                    }}
                  />
                )}
                {kind !== 'time' && (
                  <DatePicker
                    value={isDate(date) ? date : null}
                    {...(opensOn === undefined ? {} : { defaultDate: opensOn })}
                    onChange={setDate}
                    ariaLabels={calendarLabels}
                  />
                )}
                {kind !== 'date' && (
                  <TimeInput
                    label="Time"
                    withSeconds
                    value={time.slice(0, 8)}
                    onChange={(event) => setTime(event.currentTarget.value)}
                  />
                )}
                {kind !== 'date' && (
                  <Button size="xs" onClick={popover.close}>
                    Done
                  </Button>
                )}
              </Stack>
            </Popover.Dropdown>
          </Popover>
          {menu}
        </Group>
      }
    />
  );
}

const Presets = ({ onChoose }: { readonly onChoose: (expression: string) => void }) => (
  <Stack gap={4}>
    <Group gap={4} maw={260}>
      {relativePresets.map(({ label, expression }) => (
        <Button key={expression} variant="default" size="compact-xs" onClick={() => onChoose(expression)}>
          {label}
        </Button>
      ))}
    </Group>
    <Text size="xs" c="dimmed" maw={260}>
      Evaluated at each run. You can also type an expression, such as today-14d or month-start+2w.
    </Text>
  </Stack>
);

const calendarLabels = {
  nextMonth: 'Next month',
  previousMonth: 'Previous month',
  nextYear: 'Next year',
  previousYear: 'Previous year',
  nextDecade: 'Next decade',
  previousDecade: 'Previous decade',
};

/** The day of a date, a datetime or a relative moment. */
const dayOf = (text: string, zone = 'UTC'): string =>
  (previewRelative(text, 'date', zone, Date.now()) ?? text).split(/[T ]/)[0] ?? '';

const isDate = (text: string): boolean => dayjs(text, 'YYYY-MM-DD').format('YYYY-MM-DD') === text;

const today = (): string => new Date().toISOString().slice(0, 10);
