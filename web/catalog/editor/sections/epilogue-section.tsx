import { Alert, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { IconAlertTriangle, IconPencil } from '../../../components/icons.tsx';
import { withEpilogue } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { useSchema } from '../use-schema.ts';
import { Section } from './section.tsx';
import { SqlField } from './sql-field.tsx';

export interface EpilogueSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

/** Most queries only read, so an empty Epilogue is behind a button. */
export function EpilogueSection({ editor, readOnly }: EpilogueSectionProps) {
  const { draft, change, sqlErrors, dialect, database } = editor;
  const schema = useSchema(database?.id);
  const [isOpen, setOpen] = useState(false);
  if (!isOpen && draft.epilogue === '') {
    return (
      <Button
        variant="subtle"
        size="xs"
        leftSection={<IconPencil size={14} aria-hidden />}
        style={{ alignSelf: 'flex-start' }}
        aria-expanded={false}
        onClick={() => setOpen(true)}
      >
        Write data back…
      </Button>
    );
  }
  return (
    <Section title="Epilogue" description="SQL that writes data back after the query. Leave empty for a read-only query.">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="This changes data">
        <Text size="sm">
          It runs once per execution, in the same transaction as the query. Everyone who runs the query then writes to{' '}
          {draft.database === '' ? 'its database' : draft.database}. A preview does not run it.
        </Text>
      </Alert>
      <SqlField
        label="Epilogue"
        value={draft.epilogue}
        onChange={(epilogue) => change((before) => withEpilogue(before, epilogue))}
        dialect={dialect}
        schema={schema}
        error={sqlErrors.epilogue}
        readOnly={readOnly}
        minHeight={90}
      />
    </Section>
  );
}
