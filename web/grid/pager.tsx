import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { NumberField } from '../components/fields/number-field.tsx';
import { IconArrowRight, IconChevronLeft, IconChevronRight, IconChevronsLeft } from '../components/icons.tsx';
import type { ResultPages } from './use-result-pages.ts';

/** The range of rows shown, and buttons for other pages. */
export function Pager({ pages }: { readonly pages: ResultPages }) {
  const [wanted, setWanted] = useState('');
  const { shown, isPaged } = pages;
  if (shown === null || !isPaged) return null;
  const { firstRow, page, totalRows } = shown;
  const atEnd = totalRows !== null && page.NextRowIndex >= totalRows;
  const jump = (event: FormEvent) => {
    event.preventDefault();
    const row = Number(wanted);
    if (wanted !== '' && row >= 1) pages.toRow(row - 1);
  };
  return (
    <Group gap="xs">
      <Text size="xs" c="dimmed" className="tabular">
        {rangeText(firstRow, page.NextRowIndex, totalRows)}
      </Text>
      <Group gap={4} role="group" aria-label="Pages">
        <Turn label="First page" icon={IconChevronsLeft} disabled={firstRow === 0} onClick={pages.toFirst} />
        <Turn label="Previous page" icon={IconChevronLeft} disabled={firstRow === 0} onClick={pages.toPrevious} />
        <Turn label="Next page" icon={IconChevronRight} disabled={atEnd} onClick={pages.toNext} />
        <form onSubmit={jump}>
          <Group gap={4} wrap="nowrap">
            <NumberField
              whole
              aria-label="Go to row"
              placeholder="Go to row"
              size="xs"
              w={96}
              maxLength={15}
              value={wanted}
              onChange={setWanted}
              error={pages.pastEnd !== null}
            />
            <ActionIcon type="submit" variant="default" size={30} aria-label="Go" disabled={wanted === ''}>
              <IconArrowRight size={16} />
            </ActionIcon>
          </Group>
        </form>
      </Group>
      {pages.pastEnd !== null && (
        <Text size="xs" c="red" role="alert">
          Row {(pages.pastEnd + 1).toLocaleString('en')} does not exist.
        </Text>
      )}
    </Group>
  );
}

interface TurnProps {
  readonly label: string;
  readonly icon: typeof IconChevronLeft;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function Turn({ label, icon: Icon, disabled, onClick }: TurnProps) {
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={disabled} onClick={onClick}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

const count = (rows: number): string => rows.toLocaleString('en');

function rangeText(from: number, to: number, total: number | null): string {
  const range = `Rows ${count(from + 1)}–${count(to)}`;
  return total === null ? `${range}, with more to follow` : `${range} of ${count(total)}`;
}
