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
  blocked: 'red',
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
  Breaking: 'red',
  Retired: 'gray',
  On: 'teal',
  Off: 'gray',
};

export interface StatusBadgeProps {
  readonly status: string;
  /** A newer version of a query, which callers do not use yet: `Active · draft v2`. */
  readonly draft?: { readonly status: string; readonly version: number } | null;
}

/** The state of something: a query, a key, a call, a database. Labels that are not states are gray badges without a dot. */
export function StatusBadge({ status, draft = null }: StatusBadgeProps) {
  return (
    <Badge className="status" miw="max-content" color={colors[status] ?? 'gray'}>
      {draft === null ? status : `${status} · ${draft.status.toLowerCase()} v${draft.version}`}
    </Badge>
  );
}
