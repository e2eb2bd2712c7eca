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
  waiting: 'yellow',
  running: 'teal',
  draining: 'petrol',
  Enabled: 'teal',
  Disabled: 'gray',
  'Test failed': 'red',
  On: 'teal',
  Off: 'gray',
};

/** The state of something: a query, a key, a call, a database. Labels that are not states are gray badges without a dot. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge className="status" miw="max-content" color={colors[status] ?? 'gray'}>
      {status}
    </Badge>
  );
}
