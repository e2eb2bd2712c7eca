import {
  Button,
  Checkbox,
  CloseButton,
  Group,
  NativeSelect,
  Pill,
  Popover,
  Progress,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconColumns, IconFilter, IconInfoCircle } from '../components/icons.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { asDelivered, isArranged, isFiltered } from './arrange-rows.ts';
import type { GridColumn } from './grid-column.ts';
import styles from './result-grid.module.css';
import type { ArrangedRows } from './use-arranged-rows.ts';
import type { RemainingRows } from './use-remaining-rows.ts';

export interface GridToolsProps {
  readonly all: readonly GridColumn[];
  readonly arranged: ArrangedRows;
  readonly loaded: { readonly first: number; readonly count: number; readonly isWhole: boolean }; // first: from 0
  readonly rest: RemainingRows | null;
  readonly hasSortField: boolean; // for rows without column headers
}

/** The filter, the column chooser, and what is sorted and filtered. */
export function GridTools({ all, arranged, loaded, rest, hasSortField }: GridToolsProps) {
  const { arrangement, change, setFilter } = arranged;
  const { sort, search, filters } = arrangement;
  const isPending = isArranged(arrangement) && (rest?.state === 'loading' || rest?.state === 'unloaded');
  const note = isPending ? '' : noteOf(arranged, loaded);
  return (
    <Stack gap={6} mb="xs">
      <Group gap="xs">
        <TextInput
          size="xs"
          type="search"
          aria-label="Filter rows"
          placeholder="Filter rows"
          value={search}
          onChange={({ currentTarget: { value } }) => change({ search: value })}
          leftSection={<IconFilter size={14} aria-hidden />}
          rightSection={
            search === '' ? null : <CloseButton size="xs" aria-label="Clear the filter" onClick={() => change({ search: '' })} />
          }
          w={{ base: '100%', xs: 220 }}
        />
        {hasSortField && <SortField all={all} arranged={arranged} />}
        {sort !== null && !hasSortField && (
          <Chip
            text={`Sorted by ${sort.label}, ${sort.descending ? 'descending' : 'ascending'}`}
            onRemove={() => change({ sort: null })}
          />
        )}
        {Object.entries(filters).map(([label, filter]) => (
          <Chip key={label} text={`${label}: ${filter}`} onRemove={() => setFilter(label, '')} />
        ))}
        {isArranged(arrangement) && (
          <Button variant="subtle" size="compact-xs" onClick={() => change(asDelivered)}>
            Clear all
          </Button>
        )}
        <ColumnChooser all={all} arranged={arranged} />
      </Group>
      <Text size="xs" role="status" className={note === '' || loaded.isWhole ? undefined : styles.note}>
        {note !== '' && !loaded.isWhole && <IconInfoCircle size={14} aria-hidden />}
        {note}
        {note !== '' && rest?.state === 'stopped' && (
          <Button variant="subtle" size="compact-xs" onClick={rest.load}>
            Load all rows
          </Button>
        )}
      </Text>
      {isPending && rest !== null && <LoadingRest rest={rest} />}
      {rest?.state === 'stopped' && <ProblemAlert error={rest.problem} title="The other rows could not be loaded" />}
    </Stack>
  );
}

/** Until it is done, the rows stay as they are. */
function LoadingRest({ rest: { loaded, total, cancel } }: { readonly rest: RemainingRows }) {
  const text = total === null ? `${number(loaded)} so far` : `${number(loaded)} of ${number(total)}`;
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress
        flex={1}
        size="sm"
        value={total === null ? 100 : (loaded / total) * 100}
        striped={total === null}
        animated={total === null}
        aria-label="Loading all rows"
      />
      <Text size="xs" className="tabular">
        Loading all rows: {text}
      </Text>
      <Button variant="default" size="compact-xs" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
}

/** Every column in both directions. */
function SortField({ all, arranged: { arrangement, change } }: Pick<GridToolsProps, 'all' | 'arranged'>) {
  const sorts = all.flatMap(({ label }) => [
    { label, descending: false },
    { label, descending: true },
  ]);
  const chosen = sorts.findIndex(
    ({ label, descending }) => label === arrangement.sort?.label && descending === arrangement.sort.descending,
  );
  return (
    <NativeSelect
      size="xs"
      aria-label="Sort rows"
      flex={1}
      value={chosen}
      onChange={({ currentTarget: { value } }) => change({ sort: sorts[Number(value)] ?? null })}
    >
      <option value={-1}>Not sorted</option>
      {sorts.map(({ label, descending }, index) => (
        <option key={`${label} ${descending}`} value={index}>
          {label}, {descending ? 'descending' : 'ascending'}
        </option>
      ))}
    </NativeSelect>
  );
}

const Chip = ({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) => (
  <Pill
    withRemoveButton
    onRemove={onRemove}
    removeButtonProps={{ 'aria-label': `Remove: ${text}`, 'aria-hidden': false, tabIndex: 0 }}
  >
    {text}
  </Pill>
);

/** Says that rows which are not loaded are neither sorted nor filtered. */
function noteOf({ arrangement, order }: ArrangedRows, { first, count, isWhole }: GridToolsProps['loaded']): string {
  const filtered = isFiltered(arrangement);
  const sorted = arrangement.sort !== null;
  if (!filtered && !sorted) return '';
  const matches = `${number(order.length)} of ${number(count)} ${isWhole ? 'rows' : 'loaded rows'} match`;
  if (isWhole) return filtered ? `${matches}.` : '';
  const done = sorted && filtered ? 'sorted and filtered' : sorted ? 'sorted' : 'filtered';
  const range = `Only the loaded rows ${number(first + 1)}–${number(first + count)} are ${done}, not the whole result`;
  return filtered ? `${range}: ${matches}.` : `${range}.`;
}

const number = (value: number): string => value.toLocaleString('en');

function ColumnChooser({ all, arranged: { columns, hidden, setHidden } }: Pick<GridToolsProps, 'all' | 'arranged'>) {
  const isPartial = columns.length < all.length;
  const toggle = (label: string) => {
    const next = new Set(hidden);
    if (!next.delete(label)) next.add(label);
    setHidden(next);
  };
  return (
    <Popover position="bottom-end" withinPortal trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          ml="auto"
          leftSection={<IconColumns size={14} aria-hidden />}
          aria-label={isPartial ? `Columns, ${columns.length} of ${all.length} shown` : 'Columns'}
        >
          {isPartial ? `Columns ${columns.length} of ${all.length}` : 'Columns'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8} className={styles.chooser} role="group" aria-label="Shown columns" tabIndex={-1}>
          {all.map(({ label }) => (
            <Checkbox
              key={label}
              size="xs"
              label={label}
              checked={!hidden.has(label)}
              disabled={columns.length === 1 && !hidden.has(label)} // a grid has a column
              onChange={() => toggle(label)}
            />
          ))}
        </Stack>
        <Group gap="xs" mt="sm">
          <Button variant="default" size="compact-xs" disabled={!isPartial} onClick={() => setHidden(new Set())}>
            Show all
          </Button>
          <Button
            variant="default"
            size="compact-xs"
            disabled={columns.length === 1}
            onClick={() => setHidden(new Set(all.slice(1).map(({ label }) => label)))}
          >
            Hide all but the first
          </Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
