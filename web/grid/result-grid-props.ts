import type { ReactNode } from 'react';
import type { Row } from '../app/wire.ts';
import type { GridColumn } from './grid-column.ts';
import type { ArrangedRows } from './use-arranged-rows.ts';
import type { RemainingRows } from './use-remaining-rows.ts';

export interface ResultGridProps {
  readonly label: string; // what the rows are, for screen readers
  readonly columns: readonly GridColumn[]; // the same array while the rows are the same
  readonly rows: readonly Row[];
  readonly firstRow?: number; // of these rows in the whole result, from 0
  readonly totalRows?: number | null; // null: not known yet
  readonly isStale?: boolean; // newer rows are loading
  readonly showRow?: number | null; // index of the row to scroll to and select
  readonly rest?: RemainingRows | null; // null: sorting and filtering are limited to `rows`
  readonly maxHeight?: number | string;
  readonly moreRowsNote?: string | null; // the note below the rows if the result has more
  readonly footer?: ReactNode; // next to the buttons below the grid
  readonly rememberAs?: string | null; // under this name, the browser remembers hidden columns
}

/** What the grid and the cards draw. */
export interface ArrangedViewProps extends ResultGridProps {
  readonly arranged: ArrangedRows;
  readonly notes: ReactNode; // directly below the rows
}
