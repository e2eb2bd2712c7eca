import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { useSession } from '../app/session.tsx';
import { CurlButton } from '../components/copy/curl-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { IconPlugConnected } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ConnectedApplications } from './connected-applications.tsx';
import { SignInOff } from './sign-in-off.tsx';

/** My Account → Connected applications. */
export function ConnectedApplicationsPage() {
  const { session } = useSession();
  return (
    <>
      <PageHeader
        title="Connected applications"
        description="AI applications that may run queries in your name. End the access of those that you no longer use."
        actions={session.oauth && <CurlButton operation="GET /api/v1/account/applications" />}
      />
      {session.oauth ? (
        <ConnectedApplications
          queryKey={['applications', 'own']}
          read={(cursor, signal) => call('GET /api/v1/account/applications', { query: { cursor } }, { signal })}
          end={(id) => call('DELETE /api/v1/account/applications/{id}', { params: { id } })}
          empty={<NoApplications />}
        />
      ) : (
        <SignInOff />
      )}
    </>
  );
}

const NoApplications = () => (
  <EmptyState
    title="No applications are connected"
    icon={IconPlugConnected}
    action={
      <Button mt="xs" variant="default" renderRoot={(props) => <Link to="/ai-gateway" {...props} />}>
        AI gateway
      </Button>
    }
  >
    Claude, ChatGPT, VS Code and others connect from their own settings. The page AI gateway shows how.
  </EmptyState>
);
