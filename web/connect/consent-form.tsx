import { Anchor, Button, Group, Radio, Select, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { endOf } from '../account/key-lifetime.ts';
import type { ApplicationRequest } from '../app/api-types.ts';
import { call } from '../app/api.ts';
import { problemOf } from '../app/problem.ts';
import { signOut, useSession } from '../app/session.tsx';
import { countText } from '../components/count-text.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { QueriesField } from '../components/queries/queries-field.tsx';
import { dateText } from '../components/time.tsx';
import { toastProblem } from '../components/toast.ts';
import { ApplicationFacts } from './application-facts.tsx';
import { useCalmWindow } from './use-calm-window.ts';

export interface ConsentFormProps {
  readonly request: ApplicationRequest;
  readonly onGone: () => void; // the request has expired
  readonly onDecided: (text: string, redirectTo: string) => void;
}

const lifetimes = [1, 7, 30, 90, 365];

/** No `<form>`: only the button allows, not Enter in a field. Nothing is read from the URL. */
export function ConsentForm({ request, onGone, onDecided }: ConsentFormProps) {
  const { id, defaultDays, maxDays } = request;
  const [isNarrow, setNarrow] = useState(false);
  const [queries, setQueries] = useState<string[]>([]);
  const [days, setDays] = useState(defaultDays);
  const [busy, setBusy] = useState<'allow' | 'cancel' | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [isMissing, setMissing] = useState(false);
  const { session, can } = useSession();
  const host = useRef<HTMLElement>(null);
  const isCalm = useCalmWindow(host);

  const decide = async (verb: 'allow' | 'cancel') => {
    const isIncomplete = verb === 'allow' && isNarrow && queries.length === 0;
    setMissing(isIncomplete);
    if (busy !== null || isIncomplete) return;
    setBusy(verb);
    setProblem(null);
    try {
      const { redirectTo } = await (verb === 'allow'
        ? call('POST /api/v1/oauth/interactions/{id}/allow', {
            params: { id },
            body: { queries: isNarrow ? queries : null, days },
          })
        : call('POST /api/v1/oauth/interactions/{id}/cancel', { params: { id } }));
      onDecided(verb === 'allow' ? 'Access allowed' : 'Access not allowed', redirectTo);
    } catch (error) {
      setBusy(null);
      if (problemOf(error).status === 404) onGone();
      else setProblem(error);
    }
  };
  return (
    <Stack>
      <ApplicationFacts request={request} host={host} />
      <Text size="sm">
        It will find and run the queries you choose here and read their rows, with your permissions. It cannot write SQL.
      </Text>
      {!can('queries.run') && (
        <Text size="sm" fw={600}>
          You don’t have permission to run queries, so it will find none.
        </Text>
      )}
      <Radio.Group
        label="Queries"
        value={isNarrow ? 'some' : 'all'}
        onChange={(value) => setNarrow(value === 'some')}
        error={isMissing && isNarrow && queries.length === 0 && 'Choose at least one query.'}
      >
        <Stack gap="xs" mt={4} mb={4}>
          <Radio value="all" label="All my queries" description="Also those that you may run later." />
          <Radio value="some" label="Only queries that I choose" />
        </Stack>
      </Radio.Group>
      {isNarrow && (
        <QueriesField
          label={queries.length === 0 ? 'Chosen queries' : `Chosen queries: ${queries.length}`}
          placeholder="Search queries"
          value={queries}
          onChange={setQueries}
          isForAi
        />
      )}
      <Select
        label="For how long"
        data={lifetimes.filter((each) => each <= maxDays).map((each) => ({ value: String(each), label: countText(each, 'day') }))}
        allowDeselect={false}
        value={String(days)}
        onChange={(value) => setDays(Number(value))}
        description={`${endText(days, session.expiresAt)} You can end it earlier under My Account → Connected applications.`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      <ProblemAlert error={problem} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" loading={busy === 'cancel'} onClick={() => void decide('cancel')}>
          Cancel
        </Button>
        <Button
          loading={busy === 'allow'}
          aria-disabled={!isCalm}
          {...(isCalm ? {} : { 'data-disabled': true })}
          onClick={() => isCalm && void decide('allow')}
        >
          Allow
        </Button>
      </Group>
      <SignedInAs request={request} />
    </Stack>
  );
}

function endText(days: number, accountEnd: string | null): string {
  const end = endOf(days, accountEnd, Date.now()) ?? new Date();
  const isCut = accountEnd !== null && end.getTime() === Date.parse(accountEnd);
  return `Ends on ${dateText(end)}${isCut ? ', with your account' : ''}.`;
}

function SignedInAs({ request: { id, user } }: Pick<ConsentFormProps, 'request'>) {
  const navigate = useNavigate();
  const change = () =>
    signOut(() => navigate({ to: '/sign-in', search: { next: `/connect/${id}` } })).catch((error: unknown) =>
      toastProblem(error),
    );
  return (
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      Signed in as <b>{user}</b>.{' '}
      <Anchor component="button" type="button" size="xs" underline="always" onClick={() => void change()}>
        Use another account
      </Anchor>
    </Text>
  );
}
