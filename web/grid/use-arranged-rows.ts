import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { Row } from '../app/wire.ts';
import { type Arrangement, arrangeRows, asDelivered } from './arrange-rows.ts';
import { type CellFormat, cellFormat } from './cell-format.ts';
import { cellOf } from './cell-text.ts';
import type { GridColumn } from './grid-column.ts';
import { readHidden, storeHidden } from './hidden-columns.ts';

export interface ArrangedRows {
  readonly columns: readonly GridColumn[]; // that are not hidden
  readonly order: readonly number[]; // indexes of the rows to show
  readonly formatOf: (column: GridColumn) => CellFormat;
  readonly arrangement: Arrangement;
  readonly hidden: ReadonlySet<string>; // labels
  readonly toggleSort: (label: string) => void; // ascending, descending, none
  readonly change: (some: Partial<Arrangement>) => void;
  readonly setFilter: (label: string, filter: string) => void; // '' removes it
  readonly setHidden: (labels: ReadonlySet<string>) => void;
}

/**
 * Sorts and filters the loaded rows, and hides columns. While the other rows of the result are loading, the order stays as it is. The
 * arrangement is kept when other rows of the same query are loaded. The browser remembers the hidden columns under `rememberAs`.
 */
export function useArrangedRows(
  all: readonly GridColumn[],
  rows: readonly Row[],
  rememberAs: string | null,
  isLoading: (arrangement: Arrangement) => boolean,
): ArrangedRows {
  const [arrangement, setArrangement] = useState(asDelivered);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => (rememberAs === null ? new Set() : readHidden(rememberAs)));
  const hidden = useMemo(() => selectHidden(all, chosen), [all, chosen]);
  const formats = useMemo(() => new Map(all.map((column) => [column.label, cellFormat(column, rows)])), [all, rows]);
  const formatOf = useCallback(
    (column: GridColumn) => formats.get(column.label) ?? ((value: unknown) => cellOf(value, column)),
    [formats],
  );
  const columns = useMemo(() => all.filter(({ label }) => !hidden.has(label)), [all, hidden]);
  const applied = useDeferredValue(isLoading(arrangement) ? asDelivered : arrangement); // typing stays responsive while many rows are searched
  const order = useMemo(
    () => arrangeRows(rows, { all, searched: columns }, applied, formatOf),
    [rows, all, columns, applied, formatOf],
  );
  const change = (some: Partial<Arrangement>) => setArrangement((before) => ({ ...before, ...some }));
  return {
    columns,
    order,
    formatOf,
    arrangement,
    hidden,
    toggleSort: (label) => {
      const { sort } = arrangement;
      if (sort?.label !== label) change({ sort: { label, descending: false } });
      else change({ sort: sort.descending ? null : { label, descending: true } });
    },
    change,
    setFilter: (label, filter) => {
      const { [label]: _, ...others } = arrangement.filters;
      change({ filters: filter.trim() === '' ? others : { ...others, [label]: filter } });
    },
    setHidden: (labels) => {
      setChosen(labels);
      if (rememberAs !== null) storeHidden(rememberAs, labels);
    },
  };
}

/** Without labels that no column has. A query that was changed may have none of the columns that were left. */
function selectHidden(all: readonly GridColumn[], chosen: ReadonlySet<string>): ReadonlySet<string> {
  const found = all.map(({ label }) => label).filter((label) => chosen.has(label));
  return new Set(found.length < all.length ? found : []);
}
