import { Drawer, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { confirm } from '../components/confirm.tsx';

export interface DrawerContent {
  /** Closes without asking. */
  readonly close: () => void;
  /** With unsaved changes, closing asks first. */
  readonly onDirty: (isDirty: boolean) => void;
}

export interface EditDrawerProps {
  readonly recordId: string | null; // `new` for a new record; null: closed
  readonly title: (recordId: string) => string;
  readonly onClose: () => void;
  readonly size?: 'lg' | 'xl';
  readonly children: (recordId: string, content: DrawerContent) => ReactNode;
}

/** Shows a record next to its list. It stays mounted while closed, so that the focus can return to the button that opened it. */
export function EditDrawer({ recordId, title, onClose, size = 'lg', children }: EditDrawerProps) {
  const isDirty = useRef(false);
  const [last, setLast] = useState(recordId);
  if (recordId !== null && recordId !== last) setLast(recordId); // still visible during the closing animation
  const close = () => {
    isDirty.current = false;
    onClose();
  };
  const askAndClose = async () => {
    if (isDirty.current && !(await confirm(discarding))) return;
    close();
  };
  return (
    <Drawer
      opened={recordId !== null}
      onClose={() => void askAndClose()}
      position="right"
      size={size === 'xl' ? WIDE : size}
      title={last === null ? '' : title(last)}
      styles={{ title: { fontWeight: 600 } }}
    >
      <Suspense fallback={<Skeleton height={320} />}>
        {last !== null &&
          children(last, {
            close,
            onDirty: (dirty) => {
              isDirty.current = dirty;
            },
          })}
      </Suspense>
    </Drawer>
  );
}

const WIDE = 860; // as a list of keys

const discarding = {
  title: 'Close without saving?',
  message: 'You have unsaved changes. They are lost if you close this.',
  action: 'Discard',
} as const;
