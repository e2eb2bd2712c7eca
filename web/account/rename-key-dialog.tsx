import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api.ts';
import type { ApiKey } from '../app/wire.ts';
import { placeErrors } from '../components/fields/field-errors.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { toast } from '../components/toast.ts';

export interface RenameKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RenameKeyDialog({ apiKey: { id, name: former }, onClose }: RenameKeyDialogProps) {
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: { name: former },
    validate: { name: (name) => (name.trim() === '' ? 'Enter a name for the key.' : null) },
  });
  const submit = form.onSubmit(async ({ name: typed }) => {
    setProblem(null);
    try {
      const { name } = await call('PATCH /api/v1/account/api-keys/{id}', { params: { id }, body: { name: typed.trim() } });
      await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
      onClose();
      toast(`“${former}” is now “${name}”.`);
    } catch (error) {
      setProblem(placeErrors(form, error));
    }
  });
  return (
    <Modal opened onClose={onClose} title={`Rename “${former}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <ProblemAlert error={problem} />
          <TextInput
            label="Name"
            description="Programs that use the key are not affected. Earlier audit entries keep the former name."
            withAsterisk
            data-autofocus
            maxLength={100}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={form.submitting}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
