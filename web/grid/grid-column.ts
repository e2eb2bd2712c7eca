export interface GridColumn {
  readonly label: string; // the key in a row
  readonly kind: string; // `integer`, `timestamp` …: the service's word; '' where nobody said
  readonly type: string; // as the database spells it; '' where nobody said
}
