import { Alert } from '@mantine/core';
import { durationText } from './elapsed.tsx';

export interface CancelledNoteProps {
  readonly afterMs: number | null; // null: nothing was cancelled
  /** Whether an earlier result is still shown. */
  readonly keepsResult: boolean;
}

/** Says that a run was cancelled. */
export function CancelledNote({ afterMs, keepsResult }: CancelledNoteProps) {
  if (afterMs === null) return null;
  return (
    <Alert color="gray" variant="light" py="xs" role="status">
      Cancelled after {durationText(afterMs)}.{keepsResult && ' Below is the previous result.'}
    </Alert>
  );
}
