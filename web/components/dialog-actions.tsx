import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

/** The buttons of a dialog. They stay in view however long it is. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <Group justify="flex-end" pos="sticky" bottom={0} bg="var(--mantine-color-body)" py="sm">
    {children}
  </Group>
);
