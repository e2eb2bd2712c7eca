import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { SqlDiffProps } from './sql-diff.tsx';
import type { SqlEditorProps } from './sql-editor.tsx';

const Editor = lazy(async () => ({ default: (await import('./sql-editor.tsx')).SqlEditor }));
const Diff = lazy(async () => ({ default: (await import('./sql-diff.tsx')).SqlDiff }));

/** The SQL editor, whose code is loaded on first use. */
export function LazySqlEditor(props: SqlEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={props.minHeight ?? 220} radius="md" role="status" aria-label="Loading the editor" />}>
      <Editor {...props} />
    </Suspense>
  );
}

export function LazySqlDiff(props: SqlDiffProps) {
  return (
    <Suspense fallback={<Skeleton height={160} radius="md" role="status" aria-label="Comparing" />}>
      <Diff {...props} />
    </Suspense>
  );
}
