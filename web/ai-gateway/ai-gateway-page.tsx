import { Alert, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NeedsPermission } from '../administration/needs-permission.tsx';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import type { Gateway } from '../app/wire.ts';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { IconPlugOff } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { AddressCard } from './address-card.tsx';
import { AnswersCard } from './answers-card.tsx';
import { ClientsCard } from './clients-card.tsx';
import { SignInCard } from './sign-in-card.tsx';
import { ToolsCard } from './tools-card.tsx';

/** How to connect AI assistants, and the tools they get. */
export function AiGatewayPage() {
  return (
    <NeedsPermission permission="queries.run" title="AI gateway">
      <AiGateway />
    </NeedsPermission>
  );
}

function AiGateway() {
  const { data, error, refetch } = useQuery({
    queryKey: ['mcp', 'tools'],
    queryFn: ({ signal }) => call('GET /api/v1/mcp/tools', {}, { signal }),
  });
  return (
    <>
      <PageHeader
        title="AI gateway"
        description="AI assistants find and run queries from the catalog over MCP. They cannot write SQL."
        badge={data !== undefined && <StatusBadge status={data.enabled ? 'On' : 'Off'} />}
        actions={<CurlButton operation="GET /api/v1/mcp/tools" />}
      />
      <Stack gap="md">
        <ProblemAlert error={error} onRetry={() => void refetch()} />
        {data === undefined && error === null && <Skeleton height={240} aria-label="Loading the gateway" role="status" />}
        {data !== undefined && <Parts gateway={data} />}
      </Stack>
    </>
  );
}

function Parts({ gateway }: { readonly gateway: Gateway }) {
  const { session } = useSession();
  return (
    <>
      {!gateway.enabled && (
        <Alert role="note" color="yellow" variant="light" icon={<IconPlugOff aria-hidden />} title="The gateway is off">
          /mcp returns 404. To switch it on, start the service with SLUICE_MCP=on.
        </Alert>
      )}
      {session.oauth && <SignInCard url={`${gateway.url}/oauth`} />}
      <AddressCard url={gateway.url} isOnlyOne={!session.oauth} />
      <ClientsCard url={gateway.url} />
      <ToolsCard gateway={gateway} />
      <AnswersCard answers={gateway.answers} />
    </>
  );
}
