import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useSession } from '../app/session.tsx';
import type { NewKey } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { curlOf, KEY_VARIABLE } from '../components/copy/curl.ts';
import { IconCircleCheck } from '../components/icons.tsx';
import { useRunnableQueries } from '../components/queries/use-runnable-queries.ts';
import { exampleCall } from './example-call.ts';

/** Shows a new key, once: until the user closes the panel or leaves the page. */
export function NewKeyPanel({ created, onDone }: { readonly created: NewKey; readonly onDone: () => void }) {
  const { queries } = useRunnableQueries(created.queries?.[0]);
  const panel = useRef<HTMLDivElement>(null);
  // each new key gets the focus
  useEffect(() => panel.current?.focus(), [created.id]);
  const { session } = useSession();
  const curl = curlOf(exampleCall(queries, created, session.baseUrl));
  return (
    <Alert
      ref={panel}
      tabIndex={-1}
      role="region"
      color="teal"
      variant="light"
      styles={{ body: { minWidth: 0 } }} // the block scrolls instead of widening the panel
      icon={<IconCircleCheck aria-hidden />}
      title={`Copy “${created.name}” now: the key is shown only once`}
    >
      <Stack gap="sm">
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
        <Group justify="space-between">
          <CopyButton value={curl} label="Copy cURL" withText size="xs" />
          <Button variant="default" size="xs" onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
