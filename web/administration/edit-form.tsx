import { Box, Button, Group, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { problemOf } from '../app/problem.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';

export interface EditFormProps {
  readonly label: string; // for screen readers: 'Role'
  readonly onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
  readonly onCancel: () => void;
  readonly isSaving: boolean;
  readonly problem: unknown; // an error that belongs to no field
  readonly onReload: () => void; // after a conflict: discards the changes and shows the newer version
  readonly submit?: string; // default: 'Save'
  readonly canSubmit?: boolean; // default: true
  readonly actions?: ReactNode; // more buttons, on the left
  readonly notice?: ReactNode; // above the buttons, always in view
  readonly children: ReactNode;
}

/** A form in a drawer. Errors and buttons stay visible below the fields. */
export function EditForm(props: EditFormProps) {
  const { label, onSubmit, onCancel, isSaving, problem, onReload, actions, notice, children } = props;
  const { submit = 'Save', canSubmit = true } = props;
  const form = useInitialFocus();
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
                Discard my changes and show the newer version
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
            <Button type="submit" loading={isSaving} disabled={!canSubmit}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Box>
    </form>
  );
}

/** Focuses the first field: the drawer does so only when it opens, and the form may load later. */
function useInitialFocus() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // after the drawer has recorded which element to return the focus to
    const timer = setTimeout(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  return form;
}
