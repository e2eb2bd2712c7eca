import { Alert, Code, List, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Role } from '../../app/wire.ts';
import { IconCheck, IconInfoCircle } from '../../components/icons.tsx';
import { permissionTexts } from '../permission-texts.ts';

/** A role that the user may not change. */
export function RoleView({ role: { name, permissions = [], builtIn } }: { readonly role: Role }) {
  return (
    <Stack gap="md">
      <Text fw={600}>{name}</Text>
      <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
        {builtIn === true
          ? 'Administrator has every permission and cannot be changed. To grant fewer permissions, create another role.'
          : 'This role has a permission that you don’t have, so you cannot change it.'}
      </Alert>
      <List
        spacing="sm"
        size="sm"
        center
        icon={
          <ThemeIcon variant="light" color="teal" size={20} radius="xl">
            <IconCheck size={14} aria-hidden />
          </ThemeIcon>
        }
      >
        {permissions.map((permission) => (
          <List.Item key={permission}>
            <Code>{permission}</Code>
            <Text size="xs" c="dimmed">
              {permissionTexts[permission]}
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
