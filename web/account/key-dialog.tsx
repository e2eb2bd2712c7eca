import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { FormEventHandler, ReactNode } from 'react';
import { ProblemAlert } from '../components/problem-alert.tsx';

export interface KeyDialogProps<Values extends { readonly name: string }> {
  readonly title: string;
  readonly form: UseFormReturnType<Values>;
  readonly aboutName: string;
  readonly problem: unknown;
  readonly submit: string; // label of the button
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  readonly onClose: () => void;
  readonly children?: ReactNode; // further fields
}

/** The form of a key: its name and further fields. */
export function KeyDialog<Values extends { readonly name: string }>(props: KeyDialogProps<Values>) {
  const { title, form, aboutName, problem, submit, onSubmit, onClose, children } = props;
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="sm">
          <ProblemAlert error={problem} />
          <TextInput
            label="Name"
            description={aboutName}
            withAsterisk
            data-autofocus
            maxLength={100}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          {children}
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

export const keyNameProblem = (name: string): string | null => (name.trim() === '' ? 'Enter a name for the key.' : null);
