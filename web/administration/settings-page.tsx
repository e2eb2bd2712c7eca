import { Code, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconSettings } from '../components/icons.tsx';
import { type Column, DataTable } from '../components/lists/data-table.tsx';
import { SearchField } from '../components/lists/search-field.tsx';
import { wholeList } from '../components/lists/use-list.ts';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { NeedsPermission } from './needs-permission.tsx';
import { ChangeableSettings } from './settings/changeable-settings.tsx';
import { Meaning, SettingName, SourceBadge } from './settings/setting-parts.tsx';
import { isFound, type Setting, sizeText, valueText } from './settings/setting-texts.ts';
import { SettingsTabs } from './settings/settings-tabs.tsx';

export function SettingsPage() {
  return (
    <NeedsPermission permission="settings.manage" title="Settings">
      <Settings />
    </NeedsPermission>
  );
}

function Settings() {
  const [{ search = '' }] = useSearchParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('GET /api/v1/settings', {}, { signal }),
  });
  const isShown = (setting: Setting) => isFound(setting, search);
  const settings = data?.settings ?? [];
  const fixed = settings.filter((setting) => !setting.changeable && isShown(setting));
  return (
    <>
      <PageHeader
        title="Settings"
        description="Read from sluice.yaml and the environment. You can change some of them here while the service is running."
        actions={<CurlButton operation="GET /api/v1/settings" />}
      />
      <SettingsTabs />
      <Stack gap="md">
        <SearchField label="Search settings" />
        <ProblemAlert error={error} onRetry={() => void refetch()} />
        {data === undefined && error === null && <Skeleton height={320} />}
        {data !== undefined && !settings.some(isShown) && (
          <EmptyState title={`Nothing found for “${search}”`} icon={IconSettings} />
        )}
        {settings.some((setting) => setting.changeable && isShown(setting)) && (
          <Heading title="Change while running" text="A change applies to the next call and survives a restart." />
        )}
        {data !== undefined && (
          <ChangeableSettings settings={settings.filter(({ changeable }) => changeable)} isShown={isShown} />
        )}
        {fixed.length > 0 && (
          <>
            <Heading title="Read at startup" text="Set these in sluice.yaml or in the environment, then restart." />
            <DataTable
              label="Settings read at startup"
              list={wholeList(fixed)}
              columns={columns}
              rowKey={({ name }) => name}
              empty={null}
              minWidth={860}
            />
          </>
        )}
      </Stack>
    </>
  );
}

const Heading = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <Stack gap={0}>
    <Title order={2}>{title}</Title>
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  </Stack>
);

const columns: readonly Column<Setting>[] = [
  { header: 'Setting', render: (setting) => <SettingName setting={setting} />, width: 280 },
  { header: 'Meaning', render: (setting) => <Meaning setting={setting} /> },
  { header: 'Value', render: (setting) => <Value setting={setting} />, width: 190 },
  { header: 'Default', render: (setting) => (setting.secret ? 'none' : valueText(setting.default)) },
  { header: 'From', render: ({ source }) => <SourceBadge source={source} /> },
];

function Value({ setting }: { readonly setting: Setting }) {
  if (setting.secret) {
    return (
      <Text size="sm" c="dimmed">
        {setting.source === 'default' ? 'Not set' : 'Set (hidden)'}
      </Text>
    );
  }
  const size = sizeText(setting);
  return (
    <Stack gap={2} align="flex-start">
      <Code style={{ overflowWrap: 'anywhere' }}>{valueText(setting.value)}</Code>
      {size !== null && (
        <Text size="xs" c="dimmed">
          {size}
        </Text>
      )}
    </Stack>
  );
}
