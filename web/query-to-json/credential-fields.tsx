import { Anchor, PasswordInput, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import type { ApiKey } from '../app/wire.ts';
import { dateText } from '../components/time.tsx';
import styles from './credential-fields.module.css';
import type { Credential } from './credential.ts';

const kinds = [
  { value: 'key', label: 'API Key' },
  { value: 'basic', label: 'Basic' },
] as const;

const MIN_PREFIX_LENGTH = 4;

export interface CredentialFieldsProps {
  readonly credential: Credential;
  readonly onChange: (credential: Credential) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** The credential of the call, which is not stored anywhere. */
export function CredentialFields({ credential, onChange, errors }: CredentialFieldsProps) {
  const set = (change: Partial<Credential>) => onChange({ ...credential, ...change });
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} verticalSpacing="sm">
      <Select
        label="Authorization"
        data={kinds}
        value={credential.kind}
        allowDeselect={false}
        onChange={(kind) => set({ kind: kind === 'basic' ? 'basic' : 'key' })}
      />
      {credential.kind === 'key' ? (
        <PasswordInput
          label="API Key"
          placeholder="Paste a key"
          value={credential.key}
          onChange={(event) => set({ key: event.currentTarget.value.trim() })}
          error={errors.key}
          description={<KeyHint typed={credential.key} />}
          className={styles.wide}
          {...unsaved}
        />
      ) : (
        <>
          <TextInput
            label="User Name"
            autoComplete="off"
            value={credential.username}
            onChange={(event) => set({ username: event.currentTarget.value })}
            error={errors.username}
          />
          <PasswordInput
            label="Password"
            value={credential.password}
            onChange={(event) => set({ password: event.currentTarget.value })}
            error={errors.password}
            {...unsaved}
          />
        </>
      )}
    </SimpleGrid>
  );
}

const order: ('label' | 'input' | 'error' | 'description')[] = ['label', 'input', 'error', 'description'];

/** Keeps the browser from offering to save the password. */
const unsaved = {
  autoComplete: 'new-password',
  inputWrapperOrder: order,
  visibilityToggleButtonProps: { 'aria-label': 'Show the secret' },
};

/** Identifies the entered key by its prefix. A list of keys is not possible, because keys are shown only once. */
function KeyHint({ typed }: { readonly typed: string }) {
  const { data } = useQuery({
    queryKey: ['account', 'api-keys', 'first'],
    queryFn: ({ signal }) => call('GET /api/v1/account/api-keys', { query: { limit: 100 } }, { signal }),
  });
  const found = typed.length < MIN_PREFIX_LENGTH ? undefined : data?.items.find(({ prefix }) => typed.startsWith(prefix));
  return (
    <>
      {found === undefined ? '' : `${describeKey(found)} `}
      <Anchor size="xs" underline="always" renderRoot={(props) => <Link to="/account/api-keys" target="_blank" {...props} />}>
        Create a key
      </Anchor>
      <Text span size="xs">
        {' '}
        under My Account → API Keys (opens in a new tab).
      </Text>
    </>
  );
}

function describeKey({ name, state, expiresAt }: ApiKey): string {
  if (state !== 'active') return `Your key “${name}” is ${state}.`;
  return expiresAt === null ? `Your key “${name}”.` : `Your key “${name}”, until ${dateText(expiresAt)}.`;
}
