import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { IconUsers } from '../../components/icons.tsx';
import { Time } from '../../components/time.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import type { LoadedQuery } from './load-query.ts';
import { contentOf } from './query-draft.ts';
import type { QueryEditor } from './use-query-editor.ts';

export interface ConflictAlertProps {
  readonly editor: QueryEditor;
  readonly conflict: LoadedQuery; // the version that another user saved
}

/** Another user saved first: the author compares and decides which version to keep. */
export function ConflictAlert({ editor, conflict }: ConflictAlertProps) {
  const [isComparing, setComparing] = useState(false);
  const { isDirty, draft, dialect, pending } = editor;
  const { version, updatedBy, updatedAt, status } = conflict.target;
  const [mine, theirs] = ['Your version', `Version ${version}`];
  const sides = [
    { label: mine, content: contentOf(draft, dialect) },
    { label: theirs, content: conflict.target },
  ];
  return (
    <Alert color="yellow" variant="light" role="alert" icon={<IconUsers aria-hidden />} title="Changed by another user">
      <Text size="sm" component="div">
        {updatedBy} changed this query <Time at={updatedAt} as="relative" />. It is now {status}, version {version}. Your changes
        were not saved{isDirty ? ', but they are still here' : ''}.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={() => setComparing(true)}>
          Compare
        </Button>
        {isDirty && status !== 'Void' && (
          <Button size="xs" variant="default" loading={pending === 'save'} onClick={() => void editor.overwrite()}>
            Overwrite with mine
          </Button>
        )}
        <Button size="xs" variant="default" onClick={editor.acceptTheirs}>
          {isDirty ? 'Discard mine' : 'Show it'}
        </Button>
      </Group>
      <CompareDialog
        sides={sides}
        pair={isComparing ? { before: mine, after: theirs } : null}
        onClose={() => setComparing(false)}
        dialect={dialect}
      />
    </Alert>
  );
}
