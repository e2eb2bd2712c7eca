import { Group, Kbd, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useId } from 'react';
import { LazySqlEditor } from '../../../sql/lazy-sql.tsx';
import type { SqlEditorProps } from '../../../sql/sql-editor.tsx';
import { sqlErrorText } from '../../../sql/sql-error.ts';

// only for an error
const NameSuggestion = lazy(() => import('./name-suggestion.tsx').then((module) => ({ default: module.NameSuggestion })));

export type SqlFieldProps = Omit<SqlEditorProps, 'describedBy'>;

/** The SQL editor with its error and keyboard hints. */
export function SqlField(props: SqlFieldProps) {
  const id = useId();
  const { error = null, schema = null, value, dialect, readOnly = false, onChange } = props;
  return (
    <Stack gap={4}>
      <LazySqlEditor {...props} describedBy={id} />
      {error !== null && (
        <Group gap="xs" role="alert">
          <Text size="sm" c="var(--mantine-color-error)" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {sqlErrorText(error)}
          </Text>
          {schema !== null && !readOnly && (
            <Suspense>
              <NameSuggestion {...{ sql: value, dialect, error, schema }} onMend={onChange} />
            </Suspense>
          )}
        </Group>
      )}
      <Text size="xs" c="dimmed" id={id} visibleFrom="xs">
        <Kbd size="xs">Esc</Kbd> then <Kbd size="xs">Tab</Kbd> leaves the editor. <Kbd size="xs">Ctrl Space</Kbd> completes names.
      </Text>
    </Stack>
  );
}
