export interface GridColumn {
  readonly label: string; // the key in a row
  readonly kind: string; // `integer`, `timestamp` …; '': unknown
  readonly type: string; // the database's name of the type; '': unknown
}
