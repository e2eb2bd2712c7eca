import { Button, Stack } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { Database } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconDatabase, IconPlus } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { databaseColumns } from './databases/database-columns.tsx';
import { TestResult } from './databases/test-result.tsx';
import { useBackgroundTests } from './databases/use-background-tests.ts';
import { useConnectionTest } from './databases/use-connection-test.ts';
import { EditDrawer } from './edit-drawer.tsx';
import { NeedsPermission } from './needs-permission.tsx';
import { preloadOnIntent } from './preload-on-intent.ts';

const DatabaseEditor = lazyRouteComponent(() => import('./databases/database-editor.tsx'), 'DatabaseEditor');
const SchemaBrowser = lazyRouteComponent(() => import('./databases/schema-browser.tsx'), 'SchemaBrowser');

export function DatabasesPage() {
  return (
    <NeedsPermission permission="databases.manage" title="Databases">
      <Databases />
    </NeedsPermission>
  );
}

function Databases() {
  const { session } = useSession();
  const [{ search = '', edit, tables }, setFilters] = useSearchParams();
  const list = useList(['databases', 'list', search], (cursor, signal) =>
    call('GET /api/v1/databases', { query: { search, cursor } }, { signal }),
  );
  const { remove, refusal } = useRemove('databases');
  const connectionTest = useConnectionTest();
  const deleteDatabase = ({ id, name, version }: Database) =>
    remove({
      name,
      message:
        'You can delete a database only if no Active query uses it. This also deletes its stored password and cannot be undone.',
      work: () => call('DELETE /api/v1/databases/{id}', { params: { id } }, { ifMatch: version }),
    });
  const add = () => setFilters({ edit: 'new' });
  const columns = databaseColumns({
    session,
    testing: connectionTest.running,
    retesting: useBackgroundTests(list.items),
    onTest: (database) => void connectionTest.test(database),
    onTables: ({ id }) => setFilters({ tables: id }),
    onEdit: ({ id }) => setFilters({ edit: id }),
    onDelete: (database) => void deleteDatabase(database),
  });
  return (
    <>
      <PageHeader
        title="Databases"
        description="Where queries run. Set access per user."
        actions={
          <>
            <CurlButton operation="GET /api/v1/databases" parts={{ query: { search } }} />
            <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} onClick={add} {...preloadOnIntent(DatabaseEditor)}>
              Add database
            </Button>
          </>
        }
      />
      <Stack gap="sm" {...preloadOnIntent(DatabaseEditor, SchemaBrowser)}>
        <SearchField label="Search databases" />
        <ProblemAlert {...refusal} />
        <TestResult name={connectionTest.name} result={connectionTest.result} />
        <ProblemAlert error={connectionTest.problem} />
        <DataTable
          label="Databases"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          minWidth={820}
          empty={search === '' ? <NoDatabases onAdd={add} /> : <EmptyState title={`Nothing found for “${search}”`} />}
        />
      </Stack>
      <EditDrawer
        recordId={edit ?? null}
        title={(recordId) => (recordId === 'new' ? 'New database' : 'Database')}
        onClose={() => setFilters({ edit: undefined })}
      >
        {(recordId, content) => <DatabaseEditor recordId={recordId} {...content} />}
      </EditDrawer>
      <EditDrawer recordId={tables ?? null} title={() => 'Tables'} onClose={() => setFilters({ tables: undefined })}>
        {(recordId) => <SchemaBrowser id={recordId} />}
      </EditDrawer>
    </>
  );
}

const NoDatabases = ({ onAdd }: { readonly onAdd: () => void }) => (
  <EmptyState
    title="No databases yet"
    icon={IconDatabase}
    action={
      <Button mt="xs" onClick={onAdd}>
        Add database
      </Button>
    }
  >
    Add a database, then write queries for it.
  </EmptyState>
);
