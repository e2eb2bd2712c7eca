import { Button, Stack } from '@mantine/core';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useState } from 'react';
import { SignInOff } from '../account/sign-in-off.tsx';
import type { CreatedApplication, RegisteredApplication } from '../app/api-types.ts';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconPlugConnected, IconPlus } from '../components/icons.tsx';
import { DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { useList } from '../components/lists/use-list.ts';
import { useRemove } from '../components/lists/use-remove.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { NewApplicationPanel } from './applications/new-application-panel.tsx';
import { registeredColumns } from './applications/registered-columns.tsx';
import { EditDrawer } from './edit-drawer.tsx';
import { NeedsPermission } from './needs-permission.tsx';
import { preloadOnIntent } from './preload-on-intent.ts';
import { SettingsTabs } from './settings/settings-tabs.tsx';

const ApplicationForm = lazyRouteComponent(() => import('./applications/application-form.tsx'), 'ApplicationForm');

/** Settings → Applications. */
export function ApplicationsPage() {
  const { session } = useSession();
  return (
    <NeedsPermission permission="settings.manage" title="Applications">
      {session.oauth ? (
        <Applications />
      ) : (
        <>
          <PageHeader title="Applications" />
          <SignInOff />
        </>
      )}
    </NeedsPermission>
  );
}

function Applications() {
  const [{ search = '', edit }, setFilters] = useSearchParams();
  const [created, setCreated] = useState<CreatedApplication | null>(null);
  const list = useList(['oauth-clients', search], (cursor, signal) =>
    call('GET /api/v1/oauth/clients', { query: { search, cursor } }, { signal }),
  );
  const { remove, refusal } = useRemove('oauth-clients');
  const removeApplication = async (application: RegisteredApplication) => {
    await remove({
      name: application.name,
      message: `${accessText(application)} Its requests are refused as those of an unknown application. This cannot be undone.`,
      work: () => call('DELETE /api/v1/oauth/clients/{id}', { params: { id: application.id } }),
    });
    setCreated((shown) => (shown?.id === application.id ? null : shown));
  };
  return (
    <>
      <PageHeader
        title="Applications"
        description="AI applications that you register are shown as verified when they ask people for access. Others can connect without it, as far as the settings allow."
        actions={
          <>
            <CurlButton operation="GET /api/v1/oauth/clients" parts={{ query: { search } }} />
            <Button
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => setFilters({ edit: 'new' })}
              {...preloadOnIntent(ApplicationForm)}
            >
              Register application
            </Button>
          </>
        }
      />
      <SettingsTabs />
      <Stack gap="sm">
        <SearchField label="Search applications" />
        {created !== null && <NewApplicationPanel created={created} onDone={() => setCreated(null)} />}
        <ProblemAlert {...refusal} />
        <DataTable
          label="Registered applications"
          list={list}
          columns={registeredColumns((application) => void removeApplication(application))}
          rowKey={({ id }) => id}
          minWidth={900}
          empty={
            <EmptyState
              title={search === '' ? 'No applications are registered' : `Nothing found for “${search}”`}
              icon={IconPlugConnected}
            />
          }
        />
      </Stack>
      <EditDrawer
        recordId={edit === 'new' ? edit : null}
        title={() => 'Register application'}
        onClose={() => setFilters({ edit: undefined })}
      >
        {(_, content) => <ApplicationForm onCreated={setCreated} {...content} />}
      </EditDrawer>
    </>
  );
}

function accessText({ people }: RegisteredApplication): string {
  if (people === 0) return 'Nobody has connected it.';
  return `The access that ${people === 1 ? '1 person has' : `${people.toLocaleString('en')} people have`} given it ends immediately.`;
}
