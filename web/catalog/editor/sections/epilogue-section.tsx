import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '../../../components/icons.tsx';
import { withEpilogue } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { useSchema } from '../use-schema.ts';
import { Section } from './section.tsx';
import { SqlField } from './sql-field.tsx';

export interface EpilogueSectionProps {
  readonly editor: QueryEditor;
  readonly readOnly: boolean;
}

export function EpilogueSection({ editor, readOnly }: EpilogueSectionProps) {
  const { draft, change, sqlErrors, dialect, database } = editor;
  const schema = useSchema(database?.id);
  return (
    <Section title="Epilogue" description="SQL that writes to the database after the query. Leave empty for a read-only query.">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="This changes data">
        <Text size="sm">
          It runs after the query in the same transaction, once per execution, not once per page. Everyone who runs the query then
          writes to {draft.database === '' ? 'its database' : draft.database}. A preview does not run it.
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
