/** What the encoders, the charts and the exports need to know of a column. */
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
  | 'json' // also arrays, structs and maps: nested in JSON
  | 'binary'
  | 'other' // declared, shown as text
  | 'undeclared'; // the database names no type (SQLite expressions)

export interface Column {
  readonly name: string; // as the database names it; may repeat
  readonly type: string; // as the database spells it
  readonly kind: ColumnKind;
}

/** A column as readers see it: its label is unique in the result. */
export interface LabelledColumn extends Column {
  readonly label: string;
}
