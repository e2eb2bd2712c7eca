import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Operation, Parts } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import { IconTerminal2 } from '../icons.tsx';
import { CopyButton } from './copy-button.tsx';
import { callWithKey, curlOf, keyFromVariable } from './curl.ts';

export interface CurlButtonProps {
  readonly operation: Operation;
  readonly parts?: Parts; // as in call()
}

/** Shows the call behind the page as cURL. */
export function CurlButton({ operation, parts = {} }: CurlButtonProps) {
  const [opened, dialog] = useDisclosure(false);
  const { session } = useSession();
  const text = curlOf(callWithKey(operation, parts, keyFromVariable, session.baseUrl));
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconTerminal2 size={14} aria-hidden />} onClick={dialog.open}>
        This call as cURL
      </Button>
      <Modal opened={opened} onClose={dialog.close} title="This call as cURL" size="lg">
        <Stack gap="sm">
          <Code block tabIndex={0}>
            {text}
          </Code>
          <Group justify="space-between">
            <Text size="sm" flex="1 1 240px">
              Replace <Code>{keyFromVariable}</Code> with your key, or set that variable. Create keys under My Account → API Keys.
            </Text>
            <CopyButton value={text} label="Copy cURL" withText />
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
