import { Center, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../app/api.ts';
import { Logo } from '../app/logo.tsx';
import { problemOf } from '../app/problem.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { ConsentForm } from './consent-form.tsx';

/** Asks whether an AI application may run queries in the user's name. The authorization server opens this page. */
export function ConnectPage() {
  const { id = '' } = useParams({ strict: false });
  const [isGone, setGone] = useState(false);
  const [outcome, setOutcome] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: ['application-request', id],
    queryFn: ({ signal }) => call('GET /api/v1/oauth/interactions/{id}', { params: { id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (isGone || (error !== null && problemOf(error).status === 404)) return <Gone />;
  if (outcome !== null)
    return (
      <Frame title={outcome}>
        <Text size="sm">Continue in the application. You can close this page.</Text>
      </Frame>
    );
  return (
    <Frame title="Connect an application?">
      <ProblemAlert error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton height={320} aria-label="Loading the request" role="status" />}
      {data !== undefined && (
        <ConsentForm
          request={data}
          onGone={() => setGone(true)}
          onDecided={(text, redirectTo) => {
            setOutcome(text); // an application of this computer opens beside the page
            window.location.assign(redirectTo);
          }}
        />
      )}
    </Frame>
  );
}

const Gone = () => (
  <Frame title="This request is no longer valid">
    <Text size="sm">
      It was answered, it is older than 15 minutes, or another browser began it. Nothing was allowed here. Go back to the
      application and connect again.
    </Text>
  </Frame>
);

/** A page without the navigation, so that nothing distracts from the question. */
function Frame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Sluice`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <Center component="main" mih="100dvh" p={{ base: 'xs', xs: 'md' }} className="waterline">
      <Paper withBorder p={{ base: 'md', xs: 'xl' }} w="100%" maw={520} miw={0}>
        <Stack>
          <Logo />
          <Title order={1} tabIndex={-1} ref={heading}>
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
