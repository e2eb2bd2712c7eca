import { Box, Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { problemOf } from '../app/problem.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';

export interface EditFormProps {
  readonly label: string; // for screen readers: 'Role'
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly onCancel: () => void;
  readonly isSaving: boolean;
  readonly problem: unknown; // what has no field of its own
  readonly onReload: () => void; // someone else was quicker: take theirs
  readonly submit?: string; // left out: 'Save'
  readonly actions?: ReactNode; // further buttons, on the left
  readonly notice?: ReactNode; // above the buttons, always in view
  readonly children: ReactNode;
}

/** The fields of a drawer with what went wrong and the buttons below them, always in view. */
export function EditForm(props: EditFormProps) {
  const { label, onSubmit, onCancel, isSaving, problem, onReload, submit = 'Save', actions, notice, children } = props;
  const form = useFocusOnArrival();
  const isStale = problem !== null && problemOf(problem).status === 412;
  return (
    <form ref={form} onSubmit={onSubmit} noValidate aria-label={label}>
      <Stack gap="md">{children}</Stack>
      <Box pos="sticky" bottom={0} bg="var(--mantine-color-body)" py="md" style={{ zIndex: 1 }}>
        <Stack gap="sm" mb={problem === null && notice === undefined ? 0 : 'sm'}>
          {notice}
          <ProblemAlert error={problem} />
          {isStale && (
            <Group>
              <Button variant="default" size="xs" onClick={onReload}>
                Drop mine, show the newer version
              </Button>
            </Group>
          )}
        </Stack>
        <Group justify="space-between" gap="xs">
          <Group gap="xs">{actions}</Group>
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Box>
    </form>
  );
}

/** The drawer looks for a first field only when it opens: a form that comes later takes the focus by itself. */
function useFocusOnArrival() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // after the drawer has noted where the focus is to return to
    const timer = setTimeout(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  return form;
}
