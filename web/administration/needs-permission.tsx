import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../app/session.tsx';
import type { Permission } from '../app/wire.ts';
import { EmptyPage } from '../components/empty-page.tsx';
import { IconLock } from '../components/icons.tsx';

export interface NeedsPermissionProps {
  readonly permission: Permission;
  readonly title: string; // of the page
  readonly children: ReactNode;
}

/** Shows the page only to users with the permission; the service checks every call again. */
export function NeedsPermission({ permission, title, children }: NeedsPermissionProps) {
  const { can } = useSession();
  if (can(permission)) return children;
  return (
    <EmptyPage page={title} title="Not allowed" icon={IconLock}>
      This page needs the permission <Code>{permission}</Code>. Ask an administrator for a role that has it.
    </EmptyPage>
  );
}
