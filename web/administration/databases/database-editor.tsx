import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ConnectionTest } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import { engineOf } from '../../app/engine-of.ts';
import type { Database } from '../../app/wire.ts';
import { useSaving } from '../../components/fields/use-saving.ts';
import { IconPlugConnected } from '../../components/icons.tsx';
import { toast } from '../../components/toast.ts';
import type { DrawerContent } from '../edit-drawer.tsx';
import { EditForm } from '../edit-form.tsx';
import { EditedRecord } from '../edited-record.tsx';
import { DatabaseFields } from './database-fields.tsx';
import {
  type DatabaseValues,
  toDatabaseChange,
  toUnsavedDatabase,
  toDatabaseValues,
  toFormField,
  toNewDatabaseBody,
} from './database-form.ts';
import { settingProblems } from './setting-values.ts';
import { TestResult } from './test-result.tsx';

/** Edits an existing or a new database. */
export const DatabaseEditor = ({ recordId: id, ...content }: { readonly recordId: string } & DrawerContent) => (
  <EditedRecord list="databases" id={id} read={(signal) => call('GET /api/v1/databases/{id}', { params: { id } }, { signal })}>
    {(saved, reload) => <DatabaseForm saved={saved} onReload={reload} {...content} />}
  </EditedRecord>
);

interface DatabaseFormProps extends DrawerContent {
  readonly saved: Database | null; // null: a new database
  readonly onReload: () => void;
}

function DatabaseForm({ saved, onReload, close, onDirty }: DatabaseFormProps) {
  const queryClient = useQueryClient();
  const [testResult, setTestResult] = useState<ConnectionTest | null>(null);
  const form = useForm<DatabaseValues>({
    initialValues: toDatabaseValues(saved),
    onValuesChange: () => setTestResult(null), // the result no longer applies
    validate: ({ name, kind, settings }) => ({
      ...(name.trim() === '' ? { name: 'Enter a name for the database.' } : {}),
      ...settingProblems(engineOf(kind).settings, settings),
    }),
  });
  const saving = useSaving(form, { rename: toFormField });
  const testing = useSaving(form, { rename: toFormField });
  const isDirty = form.isDirty();
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const submit = form.onSubmit(async (values) => {
    const stored = await saving.perform(() => send(saved, values));
    if (stored === undefined) return;
    await queryClient.invalidateQueries({ queryKey: ['databases'] });
    toast(saved === null ? `Added the database “${stored.name}”.` : `Saved the database “${stored.name}”.`);
    close();
    if (stored.disabled === true || stored.lastTest !== null) return;
    // tests the connection, because the list shows whether it works
    await call('POST /api/v1/databases/{id}/test', { params: { id: stored.id } }).catch(() => {});
    await queryClient.invalidateQueries({ queryKey: ['databases', 'list'] });
  });
  const test = async () => {
    setTestResult(null);
    form.clearErrors();
    const body = toUnsavedDatabase(saved, form.getValues());
    const result = await testing.perform(() => call('POST /api/v1/databases/test', { body }));
    if (result !== undefined) setTestResult(result);
  };
  return (
    <EditForm
      label="Database"
      onSubmit={submit}
      onCancel={close}
      isSaving={saving.isBusy}
      problem={saving.problem ?? testing.problem}
      onReload={onReload}
      submit={saved === null ? 'Add database' : 'Save'}
      notice={testResult === null ? undefined : <TestResult name={form.getValues().name.trim()} result={testResult} />}
      actions={
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={testing.isBusy}
          onClick={() => void test()}
        >
          Test
        </Button>
      }
    >
      <DatabaseFields form={form} saved={saved} />
    </EditForm>
  );
}

const send = (saved: Database | null, values: DatabaseValues): Promise<Database> =>
  saved === null
    ? call('POST /api/v1/databases', { body: toNewDatabaseBody(values) })
    : call(
        'PATCH /api/v1/databases/{id}',
        { params: { id: saved.id }, body: toDatabaseChange(saved, values) },
        { ifMatch: saved.version },
      );
