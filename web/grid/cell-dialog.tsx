import { Code, Group, Modal, Stack, Text } from '@mantine/core';
import type { Row } from '../app/wire.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { toCopyText, toFullText } from './cell-text.ts';
import type { GridColumn } from './grid-column.ts';

export interface CellDialogProps {
  readonly column: GridColumn | undefined;
  readonly row: Row | undefined; // undefined: closed
  readonly number: number;
  readonly onClose: () => void;
}

/** Shows the whole content of a cell. */
export function CellDialog({ column, row, number, onClose }: CellDialogProps) {
  const isOpen = column !== undefined && row !== undefined;
  const value = isOpen ? row[column.label] : null;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={isOpen ? `${column.label}, row ${number.toLocaleString('en')}` : ''}
      size="lg"
    >
      {isOpen && (
        <Stack gap="sm">
          {value === '' ? (
            <Text size="sm" c="dimmed">
              Empty text
            </Text>
          ) : (
            <Code block tabIndex={0} mah="60vh" style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {toFullText(value, column)}
            </Code>
          )}
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {column.type}
            </Text>
            <CopyButton value={() => toCopyText(value, column)} label="Copy cell" withText />
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
