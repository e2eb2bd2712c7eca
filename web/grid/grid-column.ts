import type { ColumnFormat } from '../../src/core/column-format.ts';

export interface GridColumn {
  readonly label: string; // the key in a row
  readonly name?: string; // as named by the database
  readonly kind: string; // `integer`, `timestamp` …; '': unknown
  readonly type: string; // the database's name of the type; '': unknown
  readonly class?: 'categorical' | 'numeric'; // as charts use it; the author may set it
  readonly format?: ColumnFormat; // the author's
}

const numeric = new Set(['integer', 'decimal', 'float']);
export const isNumeric = ({ kind }: GridColumn): boolean => numeric.has(kind);
