import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { IconUsers } from '../../components/icons.tsx';
import { Time } from '../../components/time.tsx';
import { CompareDialog, type Comparison } from './compare-dialog.tsx';
import type { LoadedQuery } from './load-query.ts';
import { contentOf } from './query-draft.ts';
import type { QueryEditor } from './use-query-editor.ts';

export interface ConflictAlertProps {
  readonly editor: QueryEditor;
  readonly conflict: LoadedQuery; // what the other one saved
}

/** Somebody else was quicker: nothing is lost, and the author decides. */
export function ConflictAlert({ editor, conflict }: ConflictAlertProps) {
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const { isDirty, draft, dialect, pending } = editor;
  const { version, updatedBy, updatedAt, status } = conflict.target;
  const compare = () =>
    setComparison({
      before: { label: 'your text', content: contentOf(draft, dialect) },
      after: { label: `version ${version}`, content: conflict.target },
    });
  return (
    <Alert color="yellow" variant="light" role="alert" icon={<IconUsers aria-hidden />} title="Changed by someone else">
      <Text size="sm" component="div">
        {updatedBy} changed this query <Time at={updatedAt} as="relative" />: it is {status} now, version {version}. Nothing was
        saved{isDirty ? ', and your text is still here' : ''}.
      </Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={compare}>
          Compare
        </Button>
        {isDirty && status !== 'Void' && (
          <Button size="xs" variant="default" loading={pending === 'save'} onClick={() => void editor.overwrite()}>
            Save mine over it
          </Button>
        )}
        <Button size="xs" variant="default" onClick={editor.acceptTheirs}>
          {isDirty ? 'Drop mine, take theirs' : 'Show it'}
        </Button>
      </Group>
      <CompareDialog comparison={comparison} onClose={() => setComparison(null)} dialect={dialect} />
    </Alert>
  );
}
