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
    <Section title="Epilogue" description="SQL that writes, run after the query. Leave it empty for a query that only reads.">
      <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} title="This changes data">
        <Text size="sm">
          It runs after the query in the same transaction, once for each execution, not for each page. Everyone who may run the
          query then writes to {draft.database === '' ? 'its database' : draft.database}. Preview leaves it out.
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
