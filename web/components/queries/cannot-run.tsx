import { Alert } from '@mantine/core';
import type { Query } from '../../app/wire.ts';
import { IconInfoCircle } from '../icons.tsx';

/** Why the user cannot run a query that they see; nothing if they can. */
export function CannotRun({ query }: { readonly query: Query }) {
  if (query.cannotRunReason === null) return null;
  return (
    <Alert color="gray" variant="light" icon={<IconInfoCircle aria-hidden />} title={`You cannot run ${query.name}`} role="alert">
      {query.cannotRunReason}
    </Alert>
  );
}
