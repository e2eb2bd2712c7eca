import { Button, Center, Paper, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import cards from '../components/lists/data-table.module.css';
import { CellDialog } from './cell-dialog.tsx';
import type { ShownCell } from './cell-format.ts';
import type { GridColumn } from './grid-column.ts';
import type { ArrangedViewProps } from './result-grid-props.ts';
import styles from './result-grid.module.css';

const CARDS_PER_STEP = 25; // rendering all rows of a page takes seconds on a phone
const MAX_CHARACTERS = 200; // of a value; a button shows the rest

/** The rows of a result on a phone: one card each, with the columns below each other, so that nothing scrolls sideways. */
export function RowCards({ arranged, notes, ...props }: ArrangedViewProps) {
  const { label, rows, firstRow = 0, isStale = false, showRow = null, footer } = props;
  const { columns, order, formatOf } = arranged;
  const start = showRow === null ? CARDS_PER_STEP : Math.max(0, order.indexOf(showRow)) + CARDS_PER_STEP;
  const [count, setCount] = useState(start);
  const [opened, setOpened] = useState<{ readonly row: number; readonly column: GridColumn } | null>(null);
  useEffect(() => setCount(start), [rows, start]);
  useEffect(() => {
    if (showRow !== null) document.getElementById(cardId(firstRow + showRow + 1))?.scrollIntoView();
  }, [firstRow, showRow, rows]);
  const shown = order.slice(0, count).flatMap((index) => {
    const row = rows[index];
    return row === undefined ? [] : [{ row, index, number: firstRow + index + 1 }];
  });
  return (
    <Stack gap="sm">
      <ul className={cards.cards} aria-label={label} aria-busy={isStale} style={{ opacity: isStale ? 0.6 : 1 }}>
        {shown.map(({ row, index, number }) => (
          <Paper key={number} id={cardId(number)} component="li" withBorder className={cards.card}>
            <Text size="xs" c="dimmed" className="tabular">
              Row {number.toLocaleString('en')}
            </Text>
            <dl className={cards.facts}>
              {columns.map((column) => (
                <Value
                  key={column.label}
                  label={column.label}
                  cell={formatOf(column)(row[column.label])}
                  onOpen={() => setOpened({ row: index, column })}
                />
              ))}
            </dl>
          </Paper>
        ))}
      </ul>
      {notes}
      {order.length > shown.length && (
        <Center>
          <Button variant="default" onClick={() => setCount(count + CARDS_PER_STEP)}>
            Show more rows
          </Button>
        </Center>
      )}
      {footer}
      <CellDialog
        column={opened?.column}
        row={opened === null ? undefined : rows[opened.row]}
        number={firstRow + (opened?.row ?? 0) + 1}
        onClose={() => setOpened(null)}
      />
    </Stack>
  );
}

interface ValueProps {
  readonly label: string;
  readonly cell: ShownCell;
  readonly onOpen: () => void;
}

function Value({ label, cell: { text, nature }, onOpen }: ValueProps) {
  const isLong = text.length > MAX_CHARACTERS;
  return (
    <>
      <dt>{label}</dt>
      <dd className={nature === 'null' ? styles.null : ''}>
        {isLong ? `${text.slice(0, MAX_CHARACTERS)}… ` : text}
        {isLong && (
          <Button variant="subtle" size="compact-xs" aria-label={`Show all of ${label}`} onClick={onOpen}>
            Show all
          </Button>
        )}
      </dd>
    </>
  );
}

const cardId = (number: number): string => `row-${number}`;
