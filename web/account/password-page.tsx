import { Alert, Button, Group, Paper, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../app/api.ts';
import { forgetSession, useSession } from '../app/session.tsx';
import { useSaving } from '../components/fields/use-saving.ts';
import { IconInfoCircle } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';

const SHORTEST = 12;
const toggle = { 'aria-label': 'Show typed text', tabIndex: 0 };

/** My Account → Password. */
export function PasswordPage() {
  const { session } = useSession();
  return (
    <>
      <PageHeader title="Password" description={`Signed in as ${session.username}.`} />
      {session.external ? (
        <Alert role="note" icon={<IconInfoCircle aria-hidden />} maw={480}>
          You sign in through your company, so you have no password here. Change it there.
        </Alert>
      ) : (
        <PasswordForm username={session.username} />
      )}
    </>
  );
}

function PasswordForm({ username }: { readonly username: string }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '' },
    validate: {
      currentPassword: (value) => (value === '' ? 'Enter your current password.' : null),
      newPassword: (value) => ([...value].length < SHORTEST ? `Use at least ${SHORTEST} characters.` : null),
    },
  });
  const { problem, perform } = useSaving(form);
  const submit = form.onSubmit(async (body) => {
    const changed = await perform(() => call('PUT /api/v1/account/password', { body }));
    if (changed === undefined) return;
    // navigate first: the pages need a session
    await navigate({ to: '/sign-in', search: { reason: 'password_changed' } });
    forgetSession();
  });
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} maw={480}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <ProblemAlert error={problem} />
          <Alert role="note" icon={<IconInfoCircle aria-hidden />}>
            Changing your password signs you out everywhere, including here. Your API keys keep working.
          </Alert>
          {/* for password managers */}
          <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            withAsterisk
            visibilityToggleButtonProps={toggle}
            aria-invalid={form.errors.currentPassword !== undefined}
            {...form.getInputProps('currentPassword')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${SHORTEST} characters. A few words are easy to remember.`}
            autoComplete="new-password"
            withAsterisk
            visibilityToggleButtonProps={toggle}
            aria-invalid={form.errors.newPassword !== undefined}
            {...form.getInputProps('newPassword')}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={form.submitting}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
