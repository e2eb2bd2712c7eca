import { ActionIcon, Button, Popover, Stack, TextInput } from '@mantine/core';
import type { PointerEvent } from 'react';
import { IconArrowDown, IconArrowUp, IconChevronDown, IconFilter } from '../components/icons.tsx';
import type { Sort } from './arrange-rows.ts';
import { type GridColumn, isNumeric } from './grid-column.ts';
import styles from './result-grid.module.css';

export interface ColumnHeaderProps {
  readonly column: GridColumn;
  readonly index: number;
  readonly left: number;
  readonly width: number;
  readonly isActive: boolean;
  readonly isOpen: boolean; // its options
  readonly sort: Sort | null; // of this column
  readonly filter: string;
  readonly canHide: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onToggleSort: () => void;
  readonly onSort: (sort: Sort | null) => void;
  readonly onFilter: (filter: string) => void;
  readonly onHide: () => void;
  readonly onFit: () => void;
  readonly onDrag: (event: PointerEvent<HTMLElement>) => void;
}

/** A click sorts; the options also filter, hide and resize. */
export function ColumnHeader(props: ColumnHeaderProps) {
  const { column, index, left, width, isActive, isOpen, sort, filter, onOpen, onToggleSort, onFit, onDrag } = props;
  const { label, type } = column;
  const SortIcon = sort?.descending === true ? IconArrowDown : IconArrowUp;
  const name = `Options of ${label}`;
  return (
    <div
      role="columnheader"
      aria-colindex={index + 2}
      aria-sort={sort === null ? 'none' : sort.descending ? 'descending' : 'ascending'}
      aria-label={filter === '' ? label : `${label}, filtered`}
      tabIndex={isActive ? 0 : -1}
      data-position={`-1 ${index}`}
      title={type === '' ? label : `${label} · ${type}`}
      className={isNumeric(column) ? `${styles.header} ${styles.right}` : styles.header}
      style={{ left, width }}
    >
      <button
        type="button"
        tabIndex={-1} // in the header, Space does the same
        className={styles.sort}
        onClick={({ currentTarget }) => {
          onToggleSort();
          currentTarget.parentElement?.focus();
        }}
      >
        {label}
      </button>
      {sort !== null && <SortIcon size={14} aria-hidden className={styles.mark} />}
      {filter !== '' && <IconFilter size={14} aria-hidden className={styles.mark} />}
      <Popover
        opened={isOpen}
        onChange={onOpen}
        position="bottom-start"
        withinPortal
        trapFocus
        returnFocus
        shadow="md"
        width={230}
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={18}
            tabIndex={-1}
            aria-label={name}
            className={styles.options}
            onClick={() => onOpen(!isOpen)}
          >
            <IconChevronDown size={14} />
          </ActionIcon>
        </Popover.Target>
        {/* the keys of the grid do not apply to it */}
        <Popover.Dropdown aria-label={name} onKeyDown={(event) => event.stopPropagation()}>
          <ColumnOptions {...props} />
        </Popover.Dropdown>
      </Popover>
      {/* outside the focus order: Shift with an arrow key does the same */}
      <span aria-hidden className={styles.handle} onPointerDown={onDrag} onDoubleClick={onFit} />
    </div>
  );
}

function ColumnOptions({ column, sort, filter, canHide, onOpen, onSort, onFilter, onHide, onFit }: ColumnHeaderProps) {
  const { label } = column;
  const thenFocus = (work: () => void) => () => {
    onOpen(false);
    work();
  };
  const look = { variant: 'subtle', color: 'gray', size: 'xs', justify: 'flex-start', fullWidth: true } as const;
  return (
    <Stack gap={4}>
      <TextInput
        size="xs"
        label={`Filter ${label}`}
        placeholder={placeholderOf(column)}
        value={filter}
        data-autofocus
        onChange={({ currentTarget: { value } }) => onFilter(value)}
        onKeyDown={({ key }) => key === 'Enter' && onOpen(false)}
        mb={4}
      />
      <Button
        {...look}
        leftSection={<IconArrowUp size={14} aria-hidden />}
        onClick={thenFocus(() => onSort({ label, descending: false }))}
      >
        Sort ascending
      </Button>
      <Button
        {...look}
        leftSection={<IconArrowDown size={14} aria-hidden />}
        onClick={thenFocus(() => onSort({ label, descending: true }))}
      >
        Sort descending
      </Button>
      {sort !== null && (
        <Button {...look} onClick={thenFocus(() => onSort(null))}>
          Remove sorting
        </Button>
      )}
      <Button {...look} onClick={thenFocus(onFit)}>
        Fit width
      </Button>
      {canHide && (
        <Button {...look} onClick={thenFocus(onHide)}>
          Hide column
        </Button>
      )}
    </Stack>
  );
}

function placeholderOf(column: GridColumn): string {
  if (isNumeric(column)) return '>100, 10..20 or digits';
  return /^(date|timestamp)/.test(column.kind) ? '>=2026-01-31 or text' : 'Text, or = for empty cells';
}
