import { Code, Group, Text } from '@mantine/core';
import { useSession } from '../app/session.tsx';
import type { NewKey } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { curlOf } from '../components/copy/curl.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import { CreatedPanel } from '../components/created-panel.tsx';
import { useRunnableQueries } from '../components/queries/use-runnable-queries.ts';
import { exampleCall } from './example-call.ts';

/** Shows a new key, once: until the user closes the panel or leaves the page. */
export function NewKeyPanel({ created, onDone }: { readonly created: NewKey; readonly onDone: () => void }) {
  const { queries } = useRunnableQueries(created.queries?.[0]);
  const { session } = useSession();
  const curl = curlOf(exampleCall(queries, created, session.baseUrl));
  return (
    <CreatedPanel
      key={created.id}
      title={`Copy “${created.name}” now: the key is shown only once`}
      copy={<CopyButton value={curl} label="Copy cURL" withText size="xs" />}
      onDone={onDone}
    >
      <Group gap="xs">
        <Code fz="sm" style={{ overflowWrap: 'anywhere' }} data-testid="new-key">
          {created.key}
        </Code>
        <CopyButton value={created.key} label="Copy key" withText size="xs" />
      </Group>
      <Text size="sm">
        Example call, with the key in <Code>{KEY_VARIABLE}</Code>:
      </Text>
      <Code block tabIndex={0} role="region" aria-label="Example call">
        {curl}
      </Code>
    </CreatedPanel>
  );
}
