import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UserKind } from '../app/api-types.ts';

export interface CallerProps {
  readonly kind: UserKind | null;
  readonly viewer: string | null;
  readonly children: ReactNode; // the name of the user
}

/** The user, or the account of an application with the viewer for whom it called. */
export const Caller = ({ kind, viewer, children }: CallerProps) => (
  <WithNote
    note={
      kind === 'application' && (
        <>
          application
          {viewer !== null && (
            <>
              {' '}
              for <bdi>{viewer}</bdi>
            </>
          )}
        </>
      )
    }
    title={viewer}
  >
    {children}
  </WithNote>
);

interface WithNoteProps {
  readonly note: ReactNode; // false: none
  readonly title?: string | null; // of which the note may show only the start
  readonly children: ReactNode;
}

/** Something with small print. */
export const WithNote = ({ note, title = null, children }: WithNoteProps) => (
  <Stack gap={2} align="flex-start">
    {children}
    {note !== false && (
      <Text size="xs" c="dimmed" lineClamp={4} title={title ?? undefined} style={{ overflowWrap: 'anywhere' }}>
        {note}
      </Text>
    )}
  </Stack>
);
