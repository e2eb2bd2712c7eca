import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../app/api.ts';
import type { ApiKey } from '../app/wire.ts';
import { useSaving } from '../components/fields/use-saving.ts';
import { toast } from '../components/toast.ts';
import { KeyDialog, keyNameProblem } from './key-dialog.tsx';

export interface RenameKeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RenameKeyDialog({ apiKey: { id, name: former }, onClose }: RenameKeyDialogProps) {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { name: former },
    validate: { name: keyNameProblem },
  });
  const { problem, perform } = useSaving(form);
  const submit = form.onSubmit(async ({ name }) => {
    const renamed = await perform(() =>
      call('PATCH /api/v1/account/api-keys/{id}', { params: { id }, body: { name: name.trim() } }),
    );
    if (renamed === undefined) return;
    await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
    onClose();
    toast(`“${former}” is now “${renamed.name}”.`);
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
