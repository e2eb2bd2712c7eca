import { Button, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { call } from '../app/api.ts';
import type { ApiKey, NewKey } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconKey, IconPlus } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { RowButton } from '../components/lists/row-button.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { type List, useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { matchesText } from '../components/matches-text.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { keyColumns } from './key-columns.tsx';
import { NewKeyPanel } from './new-key-panel.tsx';
import { RenameKeyDialog } from './rename-key-dialog.tsx';

const CreateKeyDialog = lazy(() => import('./create-key-dialog.tsx').then((module) => ({ default: module.CreateKeyDialog })));

const MAX_ACTIVE = 5;
const MAX_READ = 1000; // enough to count the active keys among the revoked and expired ones
const ROWS_PER_STEP = 50; // rendering hundreds of rows takes seconds

/** My Account → API Keys. */
export function ApiKeysPage() {
  const [{ create, search = '' }, setFilters] = useSearchParams();
  const list = useList(['api-keys'], (cursor, signal) =>
    call('GET /api/v1/account/api-keys', { query: { limit: MAX_READ, cursor } }, { signal }),
  );
  const shown = useShownKeys(list, search);
  const [created, setCreated] = useState<NewKey | null>(null);
  const [renamed, setRenamed] = useState<ApiKey | null>(null);
  const { remove, refusal } = useRemove('api-keys');
  const revoke = ({ id, name }: ApiKey) =>
    remove({
      name,
      message: 'Programs that use this key lose access immediately. This cannot be undone.',
      action: 'Revoke',
      done: `Revoked “${name}”.`,
      work: async () => {
        await call('DELETE /api/v1/account/api-keys/{id}', { params: { id } });
        setCreated((shown) => (shown?.id === id ? null : shown));
      },
    });
  const active = list.items.filter(({ state }) => state === 'active').length;
  const isFull = active >= MAX_ACTIVE;
  const isKnown = !list.isLoading && list.error === null;
  const openDialog = () => setFilters({ create: 'key' });
  return (
    <>
      <PageHeader
        title="API Keys"
        description={<>{isKnown && `${active} of ${MAX_ACTIVE} active. `}A key has your permissions and databases.</>}
        actions={
          <>
            <CurlButton operation="GET /api/v1/account/api-keys" />
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={openDialog}
              disabled={!isKnown || isFull}
              {...(isFull ? { 'aria-describedby': 'why-no-more' } : {})}
            >
              Create key
            </Button>
          </>
        }
      />
      <Stack gap="md">
        {isFull && (
          <Text size="sm" id="why-no-more">
            You have {MAX_ACTIVE} active keys, the maximum. Revoke one to create another.
          </Text>
        )}
        {created !== null && <NewKeyPanel created={created} onDone={() => setCreated(null)} />}
        <ProblemAlert {...refusal} />
        {list.items.length > ROWS_PER_STEP && <SearchField label="Search keys" />}
        <DataTable
          label="API Keys"
          list={shown}
          columns={keyColumns((key) => (
            <>
              <RowButton action="Rename" of={key.name} onClick={() => setRenamed(key)} />
              <RowButton action="Revoke" of={key.name} danger onClick={() => void revoke(key)} />
            </>
          ))}
          rowKey={({ id }) => id}
          minWidth={960}
          empty={
            search === '' ? (
              <NoKeys onCreate={openDialog} />
            ) : (
              <EmptyState title={`Nothing found for “${search}”`} icon={IconKey} />
            )
          }
        />
      </Stack>
      {renamed !== null && <RenameKeyDialog apiKey={renamed} onClose={() => setRenamed(null)} />}
      {create !== undefined && isKnown && !isFull && (
        <Suspense>
          <CreateKeyDialog
            forAssistant={create === 'assistant'}
            onCreated={setCreated}
            onClose={() => setFilters({ create: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

/** The active keys, then the others, a limited number at a time. */
function useShownKeys(list: List<ApiKey>, search: string): List<ApiKey> {
  const [limit, setLimit] = useState(ROWS_PER_STEP);
  const found = useMemo(() => {
    const matching = search === '' ? list.items : list.items.filter(({ name }) => matchesText(search, name));
    return matching.toSorted((a, b) => Number(b.state === 'active') - Number(a.state === 'active'));
  }, [list.items, search]);
  return {
    ...list,
    items: found.slice(0, limit),
    hasMore: list.hasMore || found.length > limit,
    loadMore: () => {
      setLimit(limit + ROWS_PER_STEP);
      if (found.length <= limit) list.loadMore();
    },
  };
}

function NoKeys({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      title="No API keys yet"
      icon={IconKey}
      action={
        <Button mt="xs" variant="default" onClick={onCreate}>
          Create your first key
        </Button>
      }
    >
      Programs and AI assistants use a key instead of your password.
    </EmptyState>
  );
}
