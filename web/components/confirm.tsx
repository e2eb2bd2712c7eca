import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

export interface Confirmation {
  readonly title: string; // 'Revoke “Nightly export”?'
  readonly message: ReactNode; // the consequences
  readonly action: string; // the label of the button: 'Revoke'
  readonly danger?: boolean;
}

/** Asks before an action that cannot be undone. Esc and a click outside mean no. */
export function confirm({ title, message, action, danger = true }: Confirmation): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: (
        <Text component="div" size="sm">
          {message}
        </Text>
      ),
      labels: { confirm: action, cancel: 'Cancel' },
      confirmProps: danger ? { color: 'red' } : {},
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}
