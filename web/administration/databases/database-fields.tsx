import { Alert, Checkbox, NumberInput, PasswordInput, Select, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Database } from '../../app/wire.ts';
import { IconAlertTriangle } from '../../components/icons.tsx';
import { asksForPassword, type DatabaseValues } from './database-form.ts';
import { isFile, kindLabel, kindOf, kinds } from './kinds.ts';

export interface DatabaseFieldsProps {
  readonly form: UseFormReturnType<DatabaseValues>;
  readonly saved: Database | null;
}

export function DatabaseFields({ form, saved }: DatabaseFieldsProps) {
  const { kind, writable } = form.getValues();
  const { testedOnly } = kindOf(kind);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="Name"
          description="A part of the technical names of its queries."
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Kind"
          description={saved === null ? 'The engine.' : 'It stays as it is.'}
          withAsterisk
          data={kinds.map((each) => ({ value: each.kind, label: kindLabel(each) }))}
          allowDeselect={false}
          disabled={saved !== null}
          {...form.getInputProps('kind')}
        />
      </SimpleGrid>
      {testedOnly !== undefined && (
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Experimental" role="status">
          This connector was tested against {testedOnly}, not against a current server. Try your queries before others rely on
          them.
        </Alert>
      )}
      <Textarea
        label="Description"
        description="For those who choose a database."
        autosize
        minRows={1}
        maxRows={5}
        {...form.getInputProps('description')}
      />
      {isFile(kind) ? <FileFields form={form} /> : <NetworkFields form={form} saved={saved} />}
      <Switch label="Disabled" description="Its queries are refused." {...form.getInputProps('disabled', { type: 'checkbox' })} />
      <Switch
        label="Writable"
        description="Queries with an Epilogue may write to it. Everything else stays read-only."
        {...form.getInputProps('writable', { type: 'checkbox' })}
      />
      {writable && (
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Data can be changed" role="status">
          CurrentSession may run a query with an Epilogue changes data by running it. Give the account of this connection no more
          rights than its Epilogues need.
        </Alert>
      )}
    </>
  );
}

const FileFields = ({ form }: Pick<DatabaseFieldsProps, 'form'>) => (
  <TextInput
    label="File"
    description="In one of the folders that the settings allow (SLUICE_FILES); a relative name is looked for there."
    placeholder="sales.db"
    withAsterisk
    spellCheck={false}
    autoCapitalize="none"
    {...form.getInputProps('connection.file')}
  />
);

function NetworkFields({ form, saved }: DatabaseFieldsProps) {
  const { kind } = form.getValues();
  const { port, databaseLabel } = kindOf(kind);
  const plain = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput label="Host" withAsterisk {...plain} {...form.getInputProps('connection.host')} />
        <NumberInput
          label="Port"
          placeholder={String(port)}
          min={1}
          max={65535}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('connection.port')}
        />
        <TextInput
          label={databaseLabel}
          withAsterisk={kind !== 'clickhouse'}
          placeholder={kind === 'clickhouse' ? 'default' : ''}
          {...plain}
          {...form.getInputProps('connection.database')}
        />
        <TextInput label="User" withAsterisk {...plain} {...form.getInputProps('connection.user')} />
      </SimpleGrid>
      <Password form={form} saved={saved} />
      <TlsFields form={form} />
      {kind === 'trino' && <TrinoFields form={form} />}
      <NumberInput
        label="Connect timeout (seconds)"
        description="1 to 30."
        placeholder="5"
        min={1}
        max={30}
        hideControls
        {...form.getInputProps('settings.connectTimeoutSeconds')}
      />
    </>
  );
}

function Password({ form, saved }: DatabaseFieldsProps) {
  const values = form.getValues();
  const isAsked = asksForPassword(saved, values);
  const kept = isAsked
    ? 'The connection changes, so enter the password again.'
    : 'Never shown. Leave empty to keep the stored one.';
  return (
    <>
      <PasswordInput
        label="Password"
        description={saved === null ? 'Stored encrypted and never shown again.' : kept}
        placeholder={saved === null || isAsked ? '' : 'Leave empty to keep'}
        autoComplete="new-password"
        disabled={values.connection.withoutPassword}
        visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed', tabIndex: 0 }}
        {...form.getInputProps('connection.password')}
      />
      {saved !== null && (
        <Checkbox
          label="Connect without a password"
          description="The stored one is deleted."
          {...form.getInputProps('connection.withoutPassword', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

function TlsFields({ form }: Pick<DatabaseFieldsProps, 'form'>) {
  const { mode, isUnchecked } = form.getValues().connection.tls;
  return (
    <>
      <Select
        label="TLS"
        data={[
          { value: 'off', label: 'Off: the connection is not encrypted' },
          { value: 'on', label: 'On' },
        ]}
        allowDeselect={false}
        {...form.getInputProps('connection.tls.mode')}
      />
      {mode === 'on' && (
        <>
          <TextInput
            label="Server name"
            description="That the certificate must be for. Empty: the host."
            {...form.getInputProps('connection.tls.servername')}
          />
          <Textarea
            label="CA certificate"
            description="In PEM. Empty: the authorities that the system trusts."
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
            {...form.getInputProps('connection.tls.ca')}
          />
          <Checkbox
            label="Accept any certificate"
            description="Encrypted, but nobody knows with whom. For trials only."
            {...form.getInputProps('connection.tls.isUnchecked', { type: 'checkbox' })}
          />
          {isUnchecked && (
            <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
              CurrentSession stands between the service and the database can read and change everything, the password included.
            </Alert>
          )}
        </>
      )}
    </>
  );
}

const TrinoFields = ({ form }: Pick<DatabaseFieldsProps, 'form'>) => (
  <>
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
      <TextInput label="Schema" description="For tables named without one." {...form.getInputProps('settings.schema')} />
      <TextInput
        label="Time zone"
        description="Of times without one."
        placeholder="UTC"
        {...form.getInputProps('settings.timeZone')}
      />
    </SimpleGrid>
    <Textarea
      label="Session properties"
      description="One a line: name=value."
      autosize
      minRows={1}
      maxRows={6}
      spellCheck={false}
      {...form.getInputProps('settings.session')}
    />
  </>
);
