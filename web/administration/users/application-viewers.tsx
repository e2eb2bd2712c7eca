import { Button, Code, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedSigningKeys, NewSigningKeys, SigningKeys, Viewer } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { CreatedPanel } from '../../components/created-panel.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IconSearch, IconUsers } from '../../components/icons.tsx';
import { actionsColumn, type Column, DataTable } from '../../components/lists/data-table.tsx';
import { RowButton } from '../../components/lists/row-button.tsx';
import { useList } from '../../components/lists/use-list.ts';
import { useRemove } from '../../components/lists/use-remove.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.ts';

const TYPING_MS = 250;
const MAX_SUB = 200;

/** The signing keys of an application, and the viewers in its tokens. */
export const ApplicationViewers = ({ id }: { readonly id: string }) => (
  <>
    <SigningKeySection id={id} />
    <ViewerSection id={id} />
  </>
);

function SigningKeySection({ id }: { readonly id: string }) {
  const { session } = useSession();
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['signing-keys', id],
    queryFn: ({ signal }) => call('GET /api/v1/users/{id}/signing-keys', { params: { id } }, { signal }),
  });
  const [secret, setSecret] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null); // null: not being edited
  const [problem, setProblem] = useState<unknown>(null);
  const { remove, refusal } = useRemove('signing-keys');
  const put = async (body: NewSigningKeys) => {
    const saved: CreatedSigningKeys = await call('PUT /api/v1/users/{id}/signing-keys', { params: { id }, body });
    setSecret(saved.secret ?? null);
    setTyped(null);
  };
  const save = async (readBody: () => NewSigningKeys) => {
    setProblem(null);
    try {
      await put(readBody());
      toast('Saved the signing keys.');
    } catch (caught) {
      setProblem(caught);
    }
    await queryClient.invalidateQueries({ queryKey: ['signing-keys'] });
  };
  const createSecret = () =>
    data?.kind === null
      ? save(() => ({ secret: true }))
      : remove({
          name: 'the signing keys',
          message: 'Tokens that are signed with the present keys are refused immediately.',
          action: 'Replace',
          done: 'Created a secret.',
          work: () => put({ secret: true }),
        });
  const removeKeys = () =>
    remove({
      name: 'the signing keys',
      message: 'Viewers of this application lose access immediately.',
      done: 'Removed the signing keys.',
      work: () => call('DELETE /api/v1/users/{id}/signing-keys', { params: { id } }),
    });
  return (
    <Stack gap="sm" component="section" aria-labelledby="signing-keys">
      <Title order={3} size="h5" id="signing-keys">
        Signing keys
      </Title>
      <Text size="sm" c="dimmed">
        With a signing key, the server of the application vouches for its own users: it signs a token for each of them with these
        claims.
      </Text>
      <Stack gap={0}>
        <Claim name="iss" value={id} />
        <Claim name="aud" value={session.baseUrl} />
      </Stack>
      <ProblemAlert error={error ?? problem} />
      <ProblemAlert {...refusal} />
      {secret !== null && (
        <CreatedPanel
          title="Copy the secret now: it is shown only once"
          copy={<CopyButton value={secret} label="Copy secret" withText size="xs" />}
          onDone={() => setSecret(null)}
        >
          <Code fz="sm" style={{ overflowWrap: 'anywhere' }} data-testid="new-secret">
            {secret}
          </Code>
        </CreatedPanel>
      )}
      <Text size="sm">{describeKeys(data)}</Text>
      {typed === null ? (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setTyped('')}>
            Set public keys
          </Button>
          <Button size="xs" variant="default" onClick={() => void createSecret()}>
            Create secret
          </Button>
          {data !== undefined && data.kind !== null && (
            <Button size="xs" variant="light" color="red" onClick={() => void removeKeys()}>
              Remove
            </Button>
          )}
        </Group>
      ) : (
        <Stack gap="xs">
          <Textarea
            label="Public keys"
            description="A JWKS, or the https address of one. It replaces the present keys."
            placeholder='{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "…", "kid": "2026"}]}'
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Group gap="xs">
            <Button size="xs" onClick={() => void save(() => toBody(typed))}>
              Save keys
            </Button>
            <Button size="xs" variant="default" onClick={() => setTyped(null)}>
              Cancel
            </Button>
          </Group>
        </Stack>
      )}
    </Stack>
  );
}

const Claim = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <Group gap="xs" wrap="nowrap">
    <Text size="sm" c="dimmed" w={32} ff="monospace">
      {name}
    </Text>
    <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
    <CopyButton value={value} label={`Copy ${name}`} />
  </Group>
);

/** An address, a JWKS, or a key or several outside of one. */
function toBody(typed: string): NewSigningKeys {
  const text = typed.trim();
  if (text === '') throw new Error('Paste the public keys, or their address.');
  if (text.startsWith('-----')) throw new Error('This is a PEM file. Paste the public key as a JWK.');
  if (!/^[[{]/.test(text)) return { jwksUri: text };
  const read = parseJson(text);
  if (Array.isArray(read)) return { jwks: { keys: read } };
  return { jwks: 'kty' in read ? { keys: [read] } : read };
}

function parseJson(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The public keys are no valid JSON. Paste all of it.');
  }
}

function describeKeys(keys: SigningKeys | undefined): string {
  if (keys === undefined) return '';
  if (keys.kind === null) return 'No keys: the application signs no tokens.';
  if (keys.kind === 'secret') return 'A secret (HS256).';
  if (keys.kind === 'jwksUri') return `Public keys at ${keys.jwksUri}`;
  return `Public keys: ${keys.keys.map(({ kid, alg }) => (kid === null ? alg : `${kid} (${alg})`)).join(', ')}`;
}

function ViewerSection({ id }: { readonly id: string }) {
  const [typed, setTyped] = useState('');
  const [typedLately] = useDebouncedValue(typed.trim(), TYPING_MS);
  const search = typedLately.slice(0, MAX_SUB);
  const list = useList(['viewers', id, search], (cursor, signal) =>
    call('GET /api/v1/users/{id}/viewers', { params: { id }, query: { cursor, search } }, { signal }),
  );
  const { remove, refusal } = useRemove('viewers');
  const block = ({ sub }: Pick<Viewer, 'sub'>) =>
    remove({
      name: sub,
      message: 'The tokens of this viewer are refused immediately.',
      action: 'Block',
      done: `Blocked “${sub}”.`,
      work: () => call('POST /api/v1/users/{id}/viewers/{sub}/block', { params: { id, sub } }),
    });
  const unblock = ({ sub }: Viewer) =>
    remove({
      name: sub,
      message: 'The tokens of this viewer are accepted again.',
      action: 'Unblock',
      done: `Unblocked “${sub}”.`,
      work: () => call('DELETE /api/v1/users/{id}/viewers/{sub}/block', { params: { id, sub } }),
    });
  const isUnseen = search !== '' && !list.isLoading && !list.items.some(({ sub }) => sub === search);
  const columns: readonly Column<Viewer>[] = [
    {
      header: 'Viewer',
      render: ({ sub }) => (
        <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {sub}
        </Text>
      ),
    },
    { header: 'Calls', align: 'right', render: ({ calls }) => calls.toLocaleString('en') },
    { header: 'Last used', render: ({ lastUsedAt }) => <Time at={lastUsedAt} as="relative" /> },
    { header: 'State', render: ({ blockedAt }) => <StatusBadge status={blockedAt === null ? 'active' : 'blocked'} /> },
    actionsColumn((viewer) =>
      viewer.blockedAt === null ? (
        <RowButton action="Block" of={viewer.sub} danger onClick={() => void block(viewer)} />
      ) : (
        <RowButton action="Unblock" of={viewer.sub} onClick={() => void unblock(viewer)} />
      ),
    ),
  ];
  return (
    <Stack gap="sm" component="section" aria-labelledby="viewers">
      <Title order={3} size="h5" id="viewers">
        Viewers of the last 30 days
      </Title>
      <Group gap="xs">
        <TextInput
          type="search"
          aria-label="Search viewers"
          placeholder="Search viewers"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          leftSection={<IconSearch size={16} aria-hidden />}
          spellCheck={false}
          autoCapitalize="none"
          w={{ base: '100%', xs: 280 }}
        />
        {isUnseen && (
          <Button variant="light" color="red" maw="100%" onClick={() => void block({ sub: search })}>
            Block “{search}”
          </Button>
        )}
      </Group>
      <ProblemAlert {...refusal} />
      <DataTable
        label="Viewers"
        list={list}
        columns={columns}
        rowKey={({ sub }) => sub}
        minWidth={520}
        empty={
          search === '' ? (
            <EmptyState title="No viewers yet" icon={IconUsers} />
          ) : (
            <EmptyState title={`No viewer “${search}”`} icon={IconUsers}>
              A viewer who was not seen in the last 30 days can be blocked by the exact sub of their tokens.
            </EmptyState>
          )
        }
      />
    </Stack>
  );
}
