import type { Column } from '../../core/column.ts';
import type { ByteCell } from './cells.ts';

export interface TypedColumns {
  readonly columns: readonly Column[];
  readonly cells: readonly ByteCell[];
}

/** A named prepared statement. */
export interface Prepared extends TypedColumns {
  readonly key: string;
  readonly name: string;
}
