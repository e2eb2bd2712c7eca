import { Button, Group, Kbd, Stack, Text } from '@mantine/core';
import { useId } from 'react';
import { LazySqlEditor } from '../../../sql/lazy-sql.tsx';
import type { SqlEditorProps } from '../../../sql/sql-editor.tsx';
import { sqlErrorText } from '../../../sql/sql-error.ts';
import { suggestName } from '../../../sql/suggest-name.ts';

export type SqlFieldProps = Omit<SqlEditorProps, 'describedBy'>;

/** The SQL editor with its error and keyboard hints. */
export function SqlField(props: SqlFieldProps) {
  const id = useId();
  const { error = null, schema = null, value, dialect, readOnly = false, onChange } = props;
  const suggestion = error === null || schema === null || readOnly ? null : suggestName(value, dialect, error, schema);
  return (
    <Stack gap={4}>
      <LazySqlEditor {...props} describedBy={id} />
      {error !== null && (
        <Group gap="xs" role="alert">
          <Text size="sm" c="var(--mantine-color-error)" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {sqlErrorText(error)}
          </Text>
          {suggestion !== null && (
            <Button size="compact-sm" variant="light" onClick={() => onChange(suggestion.sql)}>
              <span>
                Did you mean <code>{suggestion.name}</code>?
              </span>
            </Button>
          )}
        </Group>
      )}
      <Text size="xs" c="dimmed" id={id}>
        <Kbd size="xs">Esc</Kbd> then <Kbd size="xs">Tab</Kbd> leaves the editor. <Kbd size="xs">Ctrl Space</Kbd> completes names.
      </Text>
    </Stack>
  );
}
