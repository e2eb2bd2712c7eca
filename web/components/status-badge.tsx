import { Badge } from '@mantine/core';

const colors: Readonly<Record<string, string>> = {
  Active: 'teal',
  Validated: 'petrol',
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
    <Badge className="status" color={colors[status] ?? 'gray'}>
      {status}
    </Badge>
  );
}
