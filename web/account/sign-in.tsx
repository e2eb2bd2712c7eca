import { Alert, Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { withBasePath, removeBasePath } from '../app/base-path.ts';
import { Logo } from '../app/logo.tsx';
import { type Problem, problemOf } from '../app/problem.ts';
import { signIn } from '../app/session.tsx';
import { IconAlertTriangle, IconInfoCircle } from '../components/icons.tsx';
import { useSearchParams } from '../components/use-search-params.ts';
import { CompanyButton } from './company-button.tsx';
import { explainSignInProblem } from './sign-in-problem.ts';

export function SignInPage() {
  const router = useRouter();
  const [{ next, reason, problem }] = useSearchParams();
  const [refusal, setRefusal] = useState<string | null>(problem === undefined ? null : explainSignInProblem(problem));
  const password = useRef<HTMLInputElement>(null);
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: {
      username: (value) => (value.trim() === '' ? 'Enter your user name.' : null),
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  });
  useEffect(() => {
    document.title = 'Sign in · Sluice';
  }, []);

  const submit = form.onSubmit(async (values) => {
    setRefusal(null);
    try {
      await signIn(values.username.trim(), values.password);
      router.history.push(toLocalAddress(next));
    } catch (error) {
      setRefusal(refusalText(problemOf(error)));
      form.setFieldValue('password', '');
      password.current?.focus();
    }
  });

  return (
    <Center component="main" mih="100dvh" p="md" className="waterline">
      <Paper withBorder p="xl" w="100%" maw={380}>
        <form onSubmit={submit} noValidate>
          <Stack>
            <Logo />
            <Title order={1}>Sign in</Title>
            {refusal === null && reason !== undefined && (
              <Alert color="yellow" icon={<IconInfoCircle aria-hidden />}>
                {explainEnd(reason)}
              </Alert>
            )}
            {refusal !== null && (
              <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert">
                {refusal}
              </Alert>
            )}
            <CompanyButton next={toLocalAddress(next)} />
            <TextInput
              label="User Name"
              autoComplete="username"
              autoFocus
              spellCheck={false}
              autoCapitalize="none"
              {...form.getInputProps('username')}
            />
            <PasswordInput
              ref={password}
              label="Password"
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': 'Show typed text', tabIndex: 0 }}
              {...form.getInputProps('password')}
            />
            <Button type="submit" fullWidth loading={form.submitting}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}

function refusalText(problem: Problem): string {
  if (problem.code === 'credential_expired') return 'This account has expired. Ask an administrator to extend it.';
  if (problem.status === 401) return 'Wrong user name or password.';
  if (problem.status === 429) {
    const seconds = problem.retryAfterSeconds ?? 60;
    return `Too many attempts. Sign-in is locked. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
  }
  return problem.message;
}

function explainEnd(reason: string): string {
  if (reason === 'password_changed') return 'Your password was changed. Sign in with the new one.';
  if (reason === 'credential_expired') return 'Your session or your account has expired. Sign in again.';
  return 'Your session has ended: it was idle, or your password or roles were changed. Sign in again.';
}

/** Only an address of this service: the URL must not redirect elsewhere. */
function toLocalAddress(next = '/'): string {
  const path = removeBasePath(next);
  const isElsewhere = !path.startsWith('/') || path.startsWith('//') || path.includes('\\');
  return withBasePath(isElsewhere || path.startsWith('/sign-in') ? '/' : path);
}
