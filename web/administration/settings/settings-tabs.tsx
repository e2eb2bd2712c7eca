import { Button, Group } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';

const pages = [
  { to: '/settings', label: 'Service' },
  { to: '/settings/applications', label: 'Applications' },
] as const;

/** Links between the pages of the settings. */
export function SettingsTabs() {
  const { session } = useSession();
  const path = useRouterState({ select: (state) => state.location.pathname });
  if (!session.oauth) return null;
  return (
    <Group component="nav" aria-label="Settings" gap="xs" mb="md">
      {pages.map(({ to, label }) => (
        <Button
          key={to}
          size="xs"
          variant={path === to ? 'light' : 'subtle'}
          {...(path === to ? { 'aria-current': 'page' as const } : {})}
          renderRoot={(props) => <Link to={to} {...props} />}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
