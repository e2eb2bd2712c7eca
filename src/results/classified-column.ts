import type { LabelledColumn } from './column.ts';

/** What chart callers are told. */
export type ColumnClass = 'categorical' | 'numeric';

/** What a chart does with it: a time keeps its axis although it is categorical, an id is a poor measure although it is numeric. */
export type ColumnNature = 'time' | 'text' | 'boolean' | 'id' | 'number';

/** What the non-null values of a column were. Only columns of no declared type are looked at; the others stay `nothing`. */
export type ValuesSeen = 'nothing' | 'whole numbers' | 'numbers' | 'booleans' | 'others';

export interface ClassifiedColumn extends LabelledColumn {
  readonly class: ColumnClass;
  readonly nature: ColumnNature;
}
