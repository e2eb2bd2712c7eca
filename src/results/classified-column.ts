import type { LabelledColumn } from './column.ts';

/** What chart callers are told. */
export type ColumnClass = 'categorical' | 'numeric';

/** What a chart does with it: a time keeps its axis although it is categorical, an id is a poor measure although it is numeric. */
export type ColumnNature = 'time' | 'text' | 'boolean' | 'id' | 'number';

export interface ClassifiedColumn extends LabelledColumn {
  readonly class: ColumnClass;
  readonly nature: ColumnNature;
}
