import { Kbd, Stack, Text } from '@mantine/core';
import { useId } from 'react';
import { LazySqlEditor } from '../../../sql/lazy-sql.tsx';
import type { SqlEditorProps } from '../../../sql/sql-editor.tsx';
import { sqlErrorText } from '../../../sql/sql-error.ts';

export type SqlFieldProps = Omit<SqlEditorProps, 'describedBy'>;

/** The SQL editor with its error and keyboard hints. */
export function SqlField(props: SqlFieldProps) {
  const id = useId();
  const { error = null } = props;
  return (
    <Stack gap={4}>
      <LazySqlEditor {...props} describedBy={id} />
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {sqlErrorText(error)}
        </Text>
      )}
      <Text size="xs" c="dimmed" id={id}>
        <Kbd size="xs">Esc</Kbd> then <Kbd size="xs">Tab</Kbd> leaves the editor. <Kbd size="xs">Ctrl Space</Kbd> completes names.
      </Text>
    </Stack>
  );
}
