import { Alert } from '@mantine/core';
import { durationText } from './elapsed.tsx';

export interface CancelledNoteProps {
  readonly afterMs: number | null; // null: nothing was cancelled
  /** Whether a result of a run before is still there to be seen. */
  readonly keepsResult: boolean;
}

/** What became of a run that was cancelled here. */
export function CancelledNote({ afterMs, keepsResult }: CancelledNoteProps) {
  if (afterMs === null) return null;
  return (
    <Alert color="gray" variant="light" py="xs" role="status">
      Cancelled after {durationText(afterMs)}.{keepsResult && ' Below is the result before it.'}
    </Alert>
  );
}
