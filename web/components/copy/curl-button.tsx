import { ActionIcon, Code, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';
import type { Operation, Parts } from '../../app/api.ts';
import { useSession } from '../../app/session.tsx';
import { IconDots, IconTerminal2 } from '../icons.tsx';
import { CopyButton } from './copy-button.tsx';
import { callWithKey, curlOf, keyFromVariable } from './curl.ts';

export interface CurlButtonProps {
  readonly operation: Operation;
  readonly parts?: Parts; // as in call()
}

/** A menu that shows the call behind the page as cURL. */
export function CurlButton({ operation, parts = {} }: CurlButtonProps) {
  const [opened, dialog] = useDisclosure(false);
  const opener = useRef<HTMLButtonElement>(null);
  // the menu item that opened the dialog no longer exists, so the dialog cannot return the focus to it
  const close = () => {
    dialog.close();
    opener.current?.focus();
  };
  const { session } = useSession();
  const text = curlOf(callWithKey(operation, parts, keyFromVariable, session.baseUrl));
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon ref={opener} variant="default" size="lg" aria-label="More actions">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconTerminal2 size={16} aria-hidden />} onClick={dialog.open}>
            This call as cURL
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={opened} onClose={close} returnFocus={false} title="This call as cURL" size="lg">
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
