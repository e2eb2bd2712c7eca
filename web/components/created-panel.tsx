import { Alert, Button, Group, Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconCircleCheck } from './icons.tsx';

export interface CreatedPanelProps {
  readonly title: string;
  readonly copy?: ReactNode; // a button next to Done
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** What was just created, with secrets that are shown only once. It gets the focus when it appears. */
export function CreatedPanel({ title, copy, onDone, children }: CreatedPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <Alert
      ref={panel}
      tabIndex={-1}
      role="region"
      color="teal"
      variant="light"
      styles={{ body: { minWidth: 0 } }} // a block of code scrolls instead of widening the panel
      icon={<IconCircleCheck aria-hidden />}
      title={title}
    >
      <Stack gap="sm">
        {children}
        <Group justify="space-between">
          {copy}
          <Button variant="default" size="xs" ml="auto" onClick={onDone}>
            Done
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
