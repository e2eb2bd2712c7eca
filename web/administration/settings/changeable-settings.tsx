import { Button, Divider, Group, NumberInput, Paper, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { call } from '../../app/api.ts';
import { sessionQuery } from '../../app/session.tsx';
import { useSaving } from '../../components/fields/use-saving.ts';
import { IconDeviceFloppy } from '../../components/icons.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { toast } from '../../components/toast.ts';
import { Meaning, SettingName, SourceBadge } from './setting-parts.tsx';
import { type Setting, titleOf, valueText } from './setting-texts.ts';

type Values = Record<string, number | string | boolean>;
type Input = ReturnType<UseFormReturnType<Values>['getInputProps']>;

export interface ChangeableSettingsProps {
  readonly settings: readonly Setting[]; // only those that can be changed
  readonly isShown: (setting: Setting) => boolean;
}

/** The settings that can be changed while the service is running. Changes are saved all together or not at all. */
export function ChangeableSettings({ settings, isShown }: ChangeableSettingsProps) {
  const queryClient = useQueryClient();
  const form = useForm<Values>({ initialValues: valuesOf(settings) });
  const { isBusy, problem, perform } = useSaving(form);
  const values = form.getValues();
  const changed = settings.filter((setting) => values[setting.name] !== formValue(setting));

  const send = async (body: Readonly<Record<string, unknown>>, done: string) => {
    form.clearErrors();
    const updated = await perform(() => call('PATCH /api/v1/settings', { body }));
    if (updated === undefined) return;
    queryClient.setQueryData(['settings'], updated);
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }); // the session contains some settings
    // keeps unsent input
    const isTyped = ({ name }: Setting) => !(name in body) && changed.some((each) => each.name === name);
    const fresh = valuesOf(updated.settings.filter((setting) => setting.changeable && !isTyped(setting)));
    form.setValues((current) => ({ ...current, ...fresh }));
    toast(done);
  };
  const save = () =>
    send(
      // an empty field is sent, and the service reports the error: null would reset the setting
      Object.fromEntries(changed.map(({ name }) => [name, values[name] ?? ''])),
      'Saved. The change applies to the next call.',
    );
  const reset = (setting: Setting) => send({ [setting.name]: null }, `${titleOf(setting)} was reset to its configured value.`);
  const shown = settings.filter(isShown);
  if (shown.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Settings that can be changed while running">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Stack gap="md">
          {shown.map((setting, index) => (
            <Fragment key={setting.name}>
              {index > 0 && <Divider />}
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={{ base: 'xs', sm: 'xl' }}>
                <Stack gap={4}>
                  <SettingName setting={setting} />
                  <Text size="sm" component="div">
                    <Meaning setting={setting} />
                  </Text>
                </Stack>
                <Stack gap={6}>
                  <Group align="flex-start" justify="space-between" gap="xs">
                    <Field setting={setting} input={form.getInputProps(setting.name, inputKind(setting))} />
                    <SourceBadge source={setting.source} />
                  </Group>
                  <Group gap="xs" mih={22}>
                    <Text size="xs" c="dimmed">
                      Default {numberOrText(setting.default)}
                      {setting.configured === setting.default ? '' : ` · configured ${numberOrText(setting.configured)}`}
                    </Text>
                    {setting.source === 'changed' && (
                      <Button
                        variant="subtle"
                        size="compact-xs"
                        disabled={isBusy}
                        aria-label={`Reset to the configured value of ${titleOf(setting)}`}
                        onClick={() => void reset(setting)}
                      >
                        Reset to the configured value
                      </Button>
                    )}
                  </Group>
                </Stack>
              </SimpleGrid>
            </Fragment>
          ))}
          <ProblemAlert error={problem} />
          <Group justify="flex-end" gap="sm">
            <Text size="sm" c="dimmed" role="status">
              {changed.length === 0 ? '' : `Not saved: ${changed.map(titleOf).join(', ')}`}
            </Text>
            {changed.length > 0 && (
              <Button variant="default" disabled={isBusy} onClick={() => form.setValues(valuesOf(settings))}>
                Undo changes
              </Button>
            )}
            <Button
              type="submit"
              leftSection={<IconDeviceFloppy size={16} aria-hidden />}
              loading={isBusy}
              disabled={changed.length === 0}
            >
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function Field({ setting, input }: { readonly setting: Setting; readonly input: Input }) {
  const label = { 'aria-label': titleOf(setting) };
  if (typeof setting.default === 'boolean') {
    return (
      <Group gap="xs">
        <Switch {...label} {...input} />
        <Text size="sm" aria-hidden>
          {input.checked === true ? 'On' : 'Off'}
        </Text>
      </Group>
    );
  }
  if (typeof setting.default === 'number') {
    return (
      <NumberInput {...label} w={180} allowDecimal={false} allowNegative={false} thousandSeparator="," hideControls {...input} />
    );
  }
  return <TextInput {...label} flex={1} {...input} />;
}

const numberOrText = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en') : valueText(value));

const inputKind = (setting: Setting): { type: 'checkbox' | 'input' } => ({
  type: typeof setting.default === 'boolean' ? 'checkbox' : 'input',
});

const valuesOf = (settings: readonly Setting[]): Values =>
  Object.fromEntries(settings.map((setting) => [setting.name, formValue(setting)]));

function formValue({ value }: Setting): number | string | boolean {
  return typeof value === 'number' || typeof value === 'boolean' ? value : valueText(value);
}
