import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconEye } from '../components/icons.tsx';

export interface GridBarProps {
  readonly position: string | null; // 'Row 12'; null: no rows
  readonly column: string | null; // null: the whole row is selected
  readonly announcement: string;
  readonly textOfCell: () => string;
  readonly textOfRow: () => string;
  readonly onOpen: () => void;
  readonly children?: ReactNode;
}

/** The actions on the selected cell. */
export function GridBar({ position, column, announcement, textOfCell, textOfRow, onOpen, children }: GridBarProps) {
  return (
    <Group justify="space-between" gap="xs" mt="xs">
      <Group gap={6} miw={0}>
        {position !== null && (
          <>
            <Text size="xs" c="dimmed" truncate maw={220} mr={4}>
              {column === null ? position : `${position} · ${column}`}
            </Text>
            <CopyButton value={textOfCell} label={column === null ? 'Copy row' : 'Copy cell'} withText size="compact-xs" />
            {column !== null && <CopyButton value={textOfRow} label="Copy row" withText size="compact-xs" />}
            <Button variant="default" size="compact-xs" leftSection={<IconEye size={14} aria-hidden />} onClick={onOpen}>
              View cell
            </Button>
          </>
        )}
        <Text size="xs" c="dimmed" role="status">
          {announcement}
        </Text>
      </Group>
      {children}
    </Group>
  );
}
