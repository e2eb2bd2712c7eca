import type { ColumnFormat } from './column-format.ts';

/** The kinds of columns that encoders, charts and exports distinguish. */
export type ColumnKind =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timestamp' // without a zone
  | 'timestamptz' // an instant; shown in UTC with Z
  | 'interval'
  | 'text'
  | 'uuid'
  | 'json' // also arrays, structs and maps, as nested JSON
  | 'binary'
  | 'other' // declared, shown as text
  | 'undeclared'; // without a type in the database (SQLite expressions)

export interface Column {
  readonly name: string; // as named by the database; not unique
  readonly type: string; // as spelled by the database
  readonly kind: ColumnKind;
}

/** A column with its label, which is unique in the result, and its author's format. */
export interface LabeledColumn extends Column {
  readonly label: string;
  readonly format?: ColumnFormat;
}
