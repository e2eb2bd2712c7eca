import { Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CreatedApplication } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import { nameItems } from '../../components/fields/field-errors.ts';
import { useSaving } from '../../components/fields/use-saving.ts';
import { QueriesField } from '../../components/queries/queries-field.tsx';
import type { DrawerContent } from '../edit-drawer.tsx';
import { EditForm } from '../edit-form.tsx';
import { type ApplicationValues, emptyApplication, toApplicationBody } from './application-values.ts';

export interface ApplicationFormProps extends DrawerContent {
  readonly onCreated: (application: CreatedApplication) => void;
}

/** Registers an application. */
export function ApplicationForm({ onCreated, close, onDirty }: ApplicationFormProps) {
  const queryClient = useQueryClient();
  const form = useForm<ApplicationValues>({
    initialValues: emptyApplication,
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter the name that people see.' : null),
      redirectUris: (text, { managed }) =>
        text.trim() === '' && managed === 'off' ? 'Enter the address that people are sent back to.' : null,
      queries: (queries, { managed }) => (managed === 'some' && queries.length === 0 ? 'Choose at least one query.' : null),
    },
  });
  const { isBusy, problem, perform } = useSaving(form, { rename: toFormField });
  const isDirty = form.isDirty();
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const { managed } = form.values;
  const submit = form.onSubmit(async (values) => {
    const body = toApplicationBody(values);
    const { redirectUris } = body;
    const created = await perform(() =>
      call('POST /api/v1/oauth/clients', { body }).catch((error) => Promise.reject(nameItems(error, { redirectUris }))),
    );
    if (created === undefined) return;
    onCreated(created);
    close();
    await queryClient.invalidateQueries({ queryKey: ['oauth-clients'] });
  });
  return (
    <EditForm
      label="Application"
      onSubmit={submit}
      onCancel={close}
      isSaving={isBusy}
      problem={problem}
      onReload={() => {}}
      submit="Register"
    >
      <TextInput
        label="Name"
        description="People see it when the application asks for access."
        withAsterisk
        data-autofocus
        maxLength={100}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      <Textarea
        label="Redirect addresses"
        description="Where people are sent back to, one address per line: https, http on this computer, or a scheme of the application. Compared exactly, except the port of this computer."
        placeholder="https://assistant.example.com/callback"
        withAsterisk={managed === 'off'}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        {...form.getInputProps('redirectUris')}
      />
      <Radio.Group label="Kind" {...form.getInputProps('kind')} value={managed === 'off' ? form.values.kind : 'confidential'}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="public"
            label="Public"
            description="Runs on people’s computers or in their browsers and cannot keep a secret."
            disabled={managed !== 'off'}
          />
          <Radio value="confidential" label="Confidential" description="Runs on a server and authenticates with a secret." />
        </Stack>
      </Radio.Group>
      <Radio.Group
        label="Managed access"
        description="The company’s sign-in decides who uses the application. People are not asked."
        {...form.getInputProps('managed')}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="off" label="Off" />
          <Radio value="all" label="All queries" description="That the person may run." />
          <Radio value="some" label="Some queries" />
        </Stack>
      </Radio.Group>
      {managed !== 'off' && <ManagedNote />}
      {managed === 'some' && (
        <QueriesField
          label="Queries"
          placeholder="Search queries"
          value={form.values.queries}
          error={form.errors.queries}
          onChange={(queries) => form.setFieldValue('queries', queries)}
          isForAi
        />
      )}
    </EditForm>
  );
}

const toFormField = (field: string): string => {
  if (field === 'tokenEndpointAuthMethod') return 'kind';
  return field.replace(/^managed\.\d+$/, 'queries');
};

/** Registering one is possible while managed access is switched off, but has no effect. */
function ManagedNote() {
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('GET /api/v1/settings', {}, { signal }),
  });
  const isOff = data?.settings.some(({ env, value }) => env === 'SLUICE_OAUTH_MANAGED' && value === false) === true;
  if (!isOff) return null;
  return (
    <Text size="sm" role="status">
      Managed access has no effect yet: it also needs SLUICE_OAUTH_MANAGED=on and company sign-in.
    </Text>
  );
}
