import { Drawer, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense, useRef, useState } from 'react';
import { confirm } from '../components/confirm.tsx';

export interface DrawerContent {
  /** Closes at once. */
  readonly close: () => void;
  /** While something is not saved, closing asks first. */
  readonly onDirty: (isDirty: boolean) => void;
}

export interface EditDrawerProps {
  readonly shown: string | null; // what it is about; null: closed
  readonly title: (shown: string) => string;
  readonly onClose: () => void;
  readonly size?: 'lg' | 'xl';
  readonly children: (shown: string, content: DrawerContent) => ReactNode;
}

/** Opens beside a list what one of its rows is about. It stays in the page while closed, so that the focus returns to its opener. */
export function EditDrawer({ shown, title, onClose, size = 'lg', children }: EditDrawerProps) {
  const isDirty = useRef(false);
  const [last, setLast] = useState(shown);
  if (shown !== null && shown !== last) setLast(shown); // still seen while it slides away
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
      opened={shown !== null}
      onClose={() => void askAndClose()}
      position="right"
      size={size}
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

const discarding = {
  title: 'Close without saving?',
  message: 'Your changes are not saved. They are lost when you close this.',
  action: 'Discard',
} as const;
