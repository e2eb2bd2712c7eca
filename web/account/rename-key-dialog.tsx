import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api.ts';
import type { ApiKey } from '../app/wire.ts';
import { placeErrors } from '../components/fields/field-errors.ts';
import { toast } from '../components/toast.ts';
import { KeyDialog, keyNameProblem } from './key-dialog.tsx';

export interface RenameKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RenameKeyDialog({ apiKey: { id, name: former }, onClose }: RenameKeyDialogProps) {
  const queryClient = useQueryClient();
  const [problem, setProblem] = useState<unknown>(null);
  const form = useForm({
    initialValues: { name: former },
    validate: { name: keyNameProblem },
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
    <KeyDialog
      title={`Rename “${former}”`}
      form={form}
      aboutName="Programs that use the key are not affected. Earlier audit entries keep the old name."
      problem={problem}
      submit="Rename"
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
