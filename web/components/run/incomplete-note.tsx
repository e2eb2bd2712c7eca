import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '../icons.tsx';

/** Why rows of the result are missing; null if none are, or it is not known yet. */
export const incompleteReason = (headers: Headers): string | null => headers.get('X-Result-Incomplete');

export const incompleteText = (reason: string): string => `This result is incomplete: ${reason}`;

/** Nothing for a result that is complete. */
export function IncompleteNote({ reason }: { readonly reason: string | null | undefined }) {
  if (reason === null || reason === undefined) return null;
  return (
    <Alert variant="light" color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
      {incompleteText(reason)}
    </Alert>
  );
}
