import {
  Alert,
  Checkbox,
  Code,
  NumberInput,
  PasswordInput,
  Select,
  SimpleGrid,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { Fragment } from 'react';
import type { NetworkConnection } from '../../../src/catalog/engine.ts';
import { engineOf } from '../../app/engine-of.ts';
import { engines } from '../../app/engines.ts';
import { useSession } from '../../app/session.tsx';
import type { Database } from '../../app/wire.ts';
import { IconAlertTriangle } from '../../components/icons.tsx';
import { asksForPassword, type DatabaseValues, isLocalHost, isTlsOn } from './database-form.ts';
import { Options, SettingFields } from './setting-fields.tsx';

export interface DatabaseFieldsProps {
  readonly form: UseFormReturnType<DatabaseValues>;
  readonly saved: Database | null;
}

export function DatabaseFields({ form, saved }: DatabaseFieldsProps) {
  const { kind, writable } = form.getValues();
  const { testedOnly, connection, settings } = engineOf(kind);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="Name"
          description="Part of the technical names of its queries."
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Kind"
          description={saved === null ? 'The database engine.' : 'Cannot be changed.'}
          withAsterisk
          data={kindOptions}
          allowDeselect={false}
          disabled={saved !== null}
          {...form.getInputProps('kind')}
        />
      </SimpleGrid>
      {testedOnly !== undefined && (
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Experimental" role="status">
          This connector was tested against {testedOnly}, not against a current server. Test your queries before others use them.
        </Alert>
      )}
      <Textarea
        label="Description"
        description="Shown where users choose a database."
        autosize
        minRows={1}
        maxRows={5}
        {...form.getInputProps('description')}
      />
      {connection === 'file' ? <FileFields form={form} /> : <NetworkFields form={form} saved={saved} connection={connection} />}
      <SettingFields key={kind} form={form} fields={settings} />
      <Switch label="Disabled" description="Its queries cannot run." {...form.getInputProps('disabled', { type: 'checkbox' })} />
      <Switch
        label="Writable"
        description="Allows queries with an Epilogue to write to it. All other queries stay read-only."
        {...form.getInputProps('writable', { type: 'checkbox' })}
      />
      {writable && (
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Data can be changed" role="status">
          Anyone who can run a query with an Epilogue can change data. Give the account of this connection only the rights that
          the Epilogues need.
        </Alert>
      )}
    </>
  );
}

/** Servers before files. */
const kindOptions = engines
  .toSorted((a, b) => Number(a.connection === 'file') - Number(b.connection === 'file'))
  .map(({ kind, label, testedOnly }) => ({
    value: kind,
    label: testedOnly === undefined ? label : `${label} (experimental)`,
  }));

function FileFields({ form }: Pick<DatabaseFieldsProps, 'form'>) {
  const { session } = useSession();
  const folders = session.fileFolders ?? [];
  return (
    <TextInput
      label="File"
      description={
        <>
          In {folders.length === 1 ? 'the folder' : 'one of the folders'}{' '}
          {folders.map((folder, index) => (
            <Fragment key={folder}>
              {index > 0 && ', '}
              <Code style={{ overflowWrap: 'anywhere' }}>{folder}</Code>
            </Fragment>
          ))}{' '}
          (SLUICE_FILES). A relative path starts there.
        </>
      }
      placeholder="sales.db"
      withAsterisk
      spellCheck={false}
      autoCapitalize="none"
      {...form.getInputProps('connection.file')}
    />
  );
}

function NetworkFields({ form, saved, connection }: DatabaseFieldsProps & { readonly connection: NetworkConnection }) {
  const { port, tlsPort, databaseLabel = 'Database', defaultDatabase } = connection;
  const isTlsPort = tlsPort !== undefined && isTlsOn(form.getValues());
  const plain = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput label="Host" withAsterisk {...plain} {...form.getInputProps('connection.host')} />
        <NumberInput
          label="Port"
          placeholder={String(port)}
          {...(isTlsPort ? { description: `With TLS usually ${tlsPort}.` } : {})}
          min={1}
          max={65535}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('connection.port')}
        />
        <TextInput
          label={databaseLabel}
          withAsterisk={defaultDatabase === undefined}
          placeholder={defaultDatabase ?? ''}
          {...plain}
          {...form.getInputProps('connection.database')}
        />
        <TextInput label="User" withAsterisk {...plain} {...form.getInputProps('connection.user')} />
      </SimpleGrid>
      <Password form={form} saved={saved} />
      <TlsFields form={form} />
    </>
  );
}

function Password({ form, saved }: DatabaseFieldsProps) {
  const values = form.getValues();
  const isAsked = asksForPassword(saved, values);
  const kept = isAsked
    ? 'The connection changed, so enter the password again.'
    : 'Never shown. Leave empty to keep the stored password.';
  return (
    <>
      <PasswordInput
        label="Password"
        description={saved === null ? 'Stored encrypted and never shown again.' : kept}
        placeholder={saved === null || isAsked ? '' : 'Leave empty to keep'}
        autoComplete="new-password"
        disabled={values.connection.withoutPassword}
        visibilityToggleButtonProps={{ 'aria-label': 'Show typed text', tabIndex: 0 }}
        {...form.getInputProps('connection.password')}
      />
      {saved !== null && (
        <Checkbox
          label="Connect without a password"
          description="Deletes the stored password."
          {...form.getInputProps('connection.withoutPassword', { type: 'checkbox' })}
        />
      )}
    </>
  );
}

function TlsFields({ form }: Pick<DatabaseFieldsProps, 'form'>) {
  const values = form.getValues();
  const { mode, isUnchecked, ca, servername } = values.connection.tls;
  const isOn = isTlsOn(values);
  return (
    <>
      <Select
        label="TLS"
        data={[
          { value: 'off', label: 'Off (not encrypted)' },
          { value: 'on', label: 'On' },
        ]}
        allowDeselect={false}
        {...(mode === 'default' ? { description: 'On, except for localhost' } : {})}
        {...form.getInputProps('connection.tls.mode')}
        value={isOn ? 'on' : 'off'}
      />
      {!isOn && !isLocalHost(values.connection.host) && (
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
          Without TLS, anyone on the network can read and change what the database sends, including the password.
        </Alert>
      )}
      {isOn && (
        <Options title="TLS options" areSet={isUnchecked || ca !== '' || servername !== ''}>
          <TextInput
            label="Server name"
            description="The name in the server’s certificate. Default: the host."
            {...form.getInputProps('connection.tls.servername')}
          />
          <Textarea
            label="CA certificate"
            description="In PEM format. Default: the system’s trusted authorities."
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
            {...form.getInputProps('connection.tls.ca')}
          />
          <Checkbox
            label="Accept any certificate"
            description="Encrypts the connection, but does not verify the server. For tests only."
            {...form.getInputProps('connection.tls.isUnchecked', { type: 'checkbox' })}
          />
          {isUnchecked && (
            <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
              Anyone between the service and the database can read and change everything, including the password.
            </Alert>
          )}
        </Options>
      )}
    </>
  );
}
