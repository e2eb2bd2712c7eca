import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconEye } from '../components/icons.tsx';

export interface GridBarProps {
  readonly position: string | null; // 'Row 12' or '6 cells'; null: no rows
  readonly column: string | null; // null: the whole row or a range is selected
  readonly isRange: boolean; // several cells are selected
  readonly announcement: string;
  readonly readCell: () => string;
  readonly readRow: () => string;
  readonly readWithHeader: () => string;
  readonly onOpen: () => void;
  readonly children?: ReactNode;
}

/** The actions on the selected cells. */
export function GridBar(props: GridBarProps) {
  const { position, column, isRange, announcement, readCell, readRow, readWithHeader, onOpen, children } = props;
  return (
    <Group justify="space-between" gap="xs" mt="xs">
      <Group gap={6} miw={0}>
        {position !== null && (
          <>
            <Text size="xs" c="dimmed" truncate maw={220} mr={4}>
              {column === null ? position : `${position} · ${column}`}
            </Text>
            <CopyButton
              value={readCell}
              label={isRange ? 'Copy cells' : column === null ? 'Copy row' : 'Copy cell'}
              withText
              size="compact-xs"
            />
            {isRange && <CopyButton value={readWithHeader} label="Copy with headers" withText size="compact-xs" />}
            {column !== null && <CopyButton value={readRow} label="Copy row" withText size="compact-xs" />}
            {!isRange && (
              <Button variant="default" size="compact-xs" leftSection={<IconEye size={14} aria-hidden />} onClick={onOpen}>
                View cell
              </Button>
            )}
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
