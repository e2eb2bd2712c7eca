import { Badge } from '@mantine/core';

const colors: Readonly<Record<string, string>> = {
  Active: 'teal',
  Validated: 'indigo',
  Draft: 'yellow',
  Inactive: 'gray',
  Void: 'gray',
  active: 'teal',
  expired: 'gray',
  revoked: 'red',
  ok: 'teal',
  refused: 'yellow',
  failed: 'red',
  cancelled: 'gray',
};

/** The state of a query, a key or a call. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge variant="light" color={colors[status] ?? 'gray'}>
      {status}
    </Badge>
  );
}
