import { Alert, Code, List, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Role } from '../../app/wire.ts';
import { IconCheck, IconInfoCircle } from '../../components/icons.tsx';
import { permissionTexts } from '../permission-texts.ts';

/** A role that this person may not change. */
export function RoleView({ shown: { name, permissions = [], builtIn } }: { readonly shown: Role }) {
  return (
    <Stack gap="md">
      <Text fw={600}>{name}</Text>
      <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
        {builtIn === true
          ? 'Administrator has every permission and stays as it is, so that someone can always administer. Make another role for less.'
          : 'This role gives a permission that you lack, so only someone who has it can change the role.'}
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
