import {
  Alert,
  Anchor,
  Input,
  MultiSelect,
  PasswordInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useSession } from '../../app/session.tsx';
import { allDatabases, allRoles } from '../../app/whole-lists.ts';
import type { User } from '../../app/wire.ts';
import { MomentInput } from '../../components/fields/moment-input.tsx';
import { IconInfoCircle, IconLock } from '../../components/icons.tsx';
import { AttributeFields } from './attribute-fields.tsx';
import type { UserValues } from './user-form.ts';

export interface UserFieldsProps {
  readonly form: UseFormReturnType<UserValues>;
  readonly saved: User | null;
}

export function UserFields({ form, saved }: UserFieldsProps) {
  const { session } = useSession();
  const isOwn = saved?.id === session.id;
  const locked = saved?.lockedFields ?? [];
  const isLocked = (field: string) => ({ disabled: locked.includes(field) });
  return (
    <>
      {locked.length > 0 && (isOwn ? <OwnIdentity locked={locked} /> : <BoundFields locked={locked} />)}
      {saved === null && <Kind form={form} />}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="User Name"
          withAsterisk
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          {...form.getInputProps('username')}
          {...isLocked('username')}
        />
        <TextInput label="Full Name" autoComplete="off" {...form.getInputProps('fullName')} {...isLocked('fullName')} />
      </SimpleGrid>
      {form.values.kind === 'application' ? (
        <TextInput
          label="Owner"
          description="User name of the person to ask about the application."
          withAsterisk
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
          {...form.getInputProps('owner')}
        />
      ) : (
        <>
          <TextInput label="Email" type="email" autoComplete="off" {...form.getInputProps('email')} {...isLocked('email')} />
          <Password form={form} saved={saved} isOwn={isOwn} />
        </>
      )}
      {saved?.canEditRights === false ? <OwnRights /> : <Rights form={form} locked={locked} />}
      {!isOwn && <AttributeFields form={form} locked={locked} />}
    </>
  );
}

function Kind({ form }: Pick<UserFieldsProps, 'form'>) {
  return (
    <Input.Wrapper
      label="Kind"
      labelElement="div"
      description={
        form.values.kind === 'application'
          ? 'An account for a program. It has API keys, no password, and cannot sign in.'
          : 'Signs in with a password.'
      }
      inputWrapperOrder={['label', 'input', 'description']}
    >
      <SegmentedControl
        fullWidth
        aria-label="Kind"
        data={[
          { value: 'person', label: 'Person' },
          { value: 'application', label: 'Application' },
        ]}
        {...form.getInputProps('kind')}
      />
    </Input.Wrapper>
  );
}

function Password({ form, saved, isOwn }: UserFieldsProps & { readonly isOwn: boolean }) {
  if (saved?.external === true) return <FromCompany />;
  if (isOwn) return <OwnPassword />;
  return (
    <PasswordInput
      label={saved === null ? 'Password' : 'New Password'}
      description="At least 12 characters. Must not contain the user name."
      placeholder={saved === null ? '' : 'Leave empty to keep'}
      withAsterisk={saved === null}
      autoComplete="new-password"
      visibilityToggleButtonProps={{ 'aria-label': 'Show typed text', tabIndex: 0 }}
      {...form.getInputProps('password')}
    />
  );
}

const FromCompany = () => (
  <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
    This user signs in through the company and has no password here. Full name, email, roles and, if the company provides them,
    databases are updated at each sign-in.
  </Alert>
);

const OwnPassword = () => (
  <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
    Change your own password under{' '}
    <Anchor inherit renderRoot={(props) => <Link to="/account/password" {...props} />}>
      My Account
    </Anchor>
    . It requires the current one.
  </Alert>
);

const OwnRights = () => (
  <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
    This is your own account. Only an Administrator can change its roles, databases and expiration.
  </Alert>
);

const OwnIdentity = ({ locked }: { readonly locked: readonly string[] }) => (
  <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
    {locked.includes('username')
      ? 'You cannot change your own user name, full name, email and attributes. Ask another user who manages users.'
      : 'Nobody can change their own attributes. Ask another user who manages users.'}
  </Alert>
);

const BoundFields = ({ locked }: { readonly locked: readonly string[] }) => (
  <Alert variant="light" color="gray" icon={<IconLock aria-hidden />}>
    Active queries show rows by{' '}
    {locked.map((field) => fieldLabels[field] ?? field.replace('attributes.', 'the attribute ')).join(', ')}. Only an
    Administrator can change that.
  </Alert>
);

const fieldLabels: Readonly<Record<string, string>> = {
  username: 'user name',
  fullName: 'full name',
  email: 'email',
  roles: 'roles',
};

interface LockedFieldsProps {
  readonly form: UseFormReturnType<UserValues>;
  readonly locked: readonly string[];
}

function Rights({ form, locked }: LockedFieldsProps) {
  const { roles, scope, databases, expiresAt } = form.getValues();
  const { data } = useQuery(allRoles);
  const grantable = (data?.items ?? []).filter(({ canGrant }) => canGrant === true).map(({ name }) => name);
  const seesNothing = roles.length === 0 || (scope === 'some' && databases.length === 0);
  return (
    <>
      <MultiSelect
        label="Roles"
        description="What the user is allowed to do."
        placeholder={roles.length === 0 ? 'None: no permissions' : ''}
        data={[...new Set([...grantable, ...roles])]}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Remove all roles' }}
        {...form.getInputProps('roles')}
        disabled={locked.includes('roles')}
      />
      <Scope form={form} />
      {seesNothing && (
        <Alert variant="light" color="yellow" icon={<IconLock aria-hidden />} role="status">
          {seesNothingText(roles.length === 0, scope === 'some' && databases.length === 0)}
        </Alert>
      )}
      <MomentInput
        kind="date"
        label="Expires"
        description="The account works until the end of this day (UTC). Leave empty for no expiration."
        value={expiresAt}
        onChange={(text) => form.setFieldValue('expiresAt', text)}
        error={form.errors.expiresAt}
      />
      <Switch
        label="Disabled"
        description={
          form.values.kind === 'application'
            ? 'Its API keys and the tokens of its viewers do not work.'
            : 'The user cannot sign in, and their API keys do not work.'
        }
        {...form.getInputProps('disabled', { type: 'checkbox' })}
      />
    </>
  );
}

function Scope({ form }: { readonly form: UseFormReturnType<UserValues> }) {
  const { can } = useSession();
  const id = useId();
  const { scope, databases } = form.getValues();
  const { data } = useQuery(allDatabases);
  const names = [...new Set([...(data?.items.map(({ name }) => name) ?? []), ...databases])];
  const shared = {
    'aria-label': 'Databases',
    placeholder: databases.length === 0 ? 'None: sees no data' : '',
    data: names,
    clearable: true,
    clearButtonProps: { 'aria-label': 'Remove all databases' },
    ...form.getInputProps('databases'),
  };
  return (
    <Stack gap={6}>
      <Input.Label labelElement="div" id={id}>
        Databases
      </Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        data={[
          { value: 'some', label: 'Selected' },
          { value: 'all', label: 'All, including new ones' },
        ]}
        {...form.getInputProps('scope')}
      />
      {/* a user manager who sees no databases types their names */}
      {scope === 'some' && (can('databases.manage') ? <MultiSelect searchable {...shared} /> : <TagsInput {...shared} />)}
    </Stack>
  );
}

function seesNothingText(hasNoRole: boolean, hasNoDatabase: boolean): string {
  if (hasNoRole && hasNoDatabase) return 'This user sees nothing without a role and a database.';
  return hasNoRole ? 'This user has no permissions without a role.' : 'This user cannot run queries without a database.';
}
