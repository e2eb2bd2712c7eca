import { Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Database } from '../../../app/wire.ts';
import { MAX_NAME_LENGTH } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { useSchema } from '../use-schema.ts';
import { Section } from './section.tsx';
import { SqlField } from './sql-field.tsx';

export interface SqlSectionProps {
  readonly editor: QueryEditor;
  readonly databases: readonly Database[];
  readonly readOnly: boolean;
}

export function SqlSection({ editor, databases, readOnly }: SqlSectionProps) {
  const { draft, change, errors, sqlErrors, dialect, database } = editor;
  const schema = useSchema(database?.id);
  const names = databases.map(({ name }) => name);
  return (
    <Section title="Query">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          description="The display name. The technical name is derived from it."
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          withAsterisk={!readOnly}
          maxLength={MAX_NAME_LENGTH}
          value={draft.name}
          onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, name: value }))}
          error={errors.name}
          readOnly={readOnly}
        />
        <Select
          label="Database"
          description={database === undefined ? 'Where the SQL runs.' : `Where the SQL runs (${database.kind}).`}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          placeholder="Choose a database"
          withAsterisk={!readOnly}
          allowDeselect={false}
          searchable
          data={names.includes(draft.database) || draft.database === '' ? names : [draft.database, ...names]}
          value={draft.database === '' ? null : draft.database}
          onChange={(name) => change((before) => ({ ...before, database: name ?? '' }))}
          error={errors.database}
          disabled={readOnly}
        />
      </SimpleGrid>
      <SqlField
        label="SQL"
        value={draft.sql}
        onChange={(sql) => change((before) => ({ ...before, sql }))}
        dialect={dialect}
        schema={schema}
        error={sqlErrors.sql}
        readOnly={readOnly}
        placeholder="SELECT … WHERE region = @Region"
      />
    </Section>
  );
}
