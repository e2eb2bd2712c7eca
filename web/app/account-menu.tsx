import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { IconKey, IconLock, IconLogout, IconPlugConnected } from '../components/icons.tsx';
import { toastProblem } from '../components/toast.ts';
import { signOut, useSession } from './session.tsx';

export function AccountMenu() {
  const { session } = useSession();
  const navigate = useNavigate();
  const name = session.fullName || session.username;
  const leave = async () => {
    try {
      await signOut(() => navigate({ to: '/sign-in' }));
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <Menu position="bottom-end" withinPortal width={220}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${name}, ${initials(name)}`}>
          <Avatar size={32} color="petrol" variant="light" radius="xl" aria-hidden>
            {initials(name)}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {session.roles.join(', ') || 'No role'}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconKey size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/account/api-keys" {...props} />}
        >
          API Keys
        </Menu.Item>
        {session.oauth && (
          <Menu.Item
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            renderRoot={(props) => <Link to="/account/applications" {...props} />}
          >
            Connected applications
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconLock size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/account/password" {...props} />}
        >
          Password
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const initials = (name: string): string =>
  name
    .split(/[\s._-]+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
