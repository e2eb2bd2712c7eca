import { Button, Drawer, Select, SimpleGrid, Skeleton, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { engineOf } from '../../../app/engine-of.ts';
import type { Database } from '../../../app/wire.ts';
import { IconTable } from '../../../components/icons.tsx';
import { MAX_NAME_LENGTH } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { useSchema } from '../use-schema.ts';
import { Section } from './section.tsx';
import { SqlField } from './sql-field.tsx';

const SchemaBrowser = lazy(() =>
  import('../../../administration/databases/schema-browser.tsx').then((module) => ({ default: module.SchemaBrowser })),
);

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
    <Section title="Query" actions={database !== undefined && <TablesButton database={database} />}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Name"
          description="Sets the technical name until the first activation."
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
          description={database === undefined ? 'Where the SQL runs.' : `Where the SQL runs (${engineOf(database.kind).label}).`}
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

/** The tables of the database, beside the editor: it stays usable while they are shown. */
function TablesButton({ database: { id, name } }: { readonly database: Database }) {
  const [opened, drawer] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconTable size={14} aria-hidden />}
        aria-expanded={opened}
        onClick={drawer.toggle}
      >
        Tables and columns
      </Button>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        position="right"
        title={`Tables of ${name}`}
        withOverlay={false}
        lockScroll={false}
        trapFocus={false}
        closeOnClickOutside={false}
        shadow="md"
      >
        <Suspense fallback={<Skeleton height={240} />}>
          <SchemaBrowser id={id} />
        </Suspense>
      </Drawer>
    </>
  );
}
