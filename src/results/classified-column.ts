import type { LabelledColumn } from '../core/column.ts';

/** The class of a column as reported to callers of charts. */
export type ColumnClass = 'categorical' | 'numeric';

/** How a chart uses a column: a time is categorical but has a time axis; an id is numeric but a poor measure. */
export type ColumnNature = 'time' | 'text' | 'boolean' | 'id' | 'number';

/** The non-null values of a column. Only columns without a declared type are inspected; the others stay `nothing`. */
export type ValuesSeen = 'nothing' | 'whole numbers' | 'numbers' | 'booleans' | 'others';

export interface ClassifiedColumn extends LabelledColumn {
  readonly class: ColumnClass;
  readonly nature: ColumnNature;
}
