import type { Column, ColumnKind } from '../../../src/core/column.ts';
import { labelColumns } from '../../../src/results/columns.ts';
import type { FormatOptions, RowFormat } from '../../../src/results/encode/row-format.ts';
import { type Rows, rowStreamOf } from './row-stream-of.ts';

/** A column of that kind; its type defaults to the name of the kind. */
export const columnOf = (name: string, kind: ColumnKind, type: string = kind): Column => ({ name, kind, type });

/** Encodes rows and returns the whole file. */
export async function encodeRows(
  format: Pick<RowFormat, 'encode'>,
  columns: readonly Column[],
  batches: Iterable<Rows> | AsyncIterable<Rows>,
  options: Partial<FormatOptions> = {},
): Promise<Buffer> {
  const stream = rowStreamOf(columns, batches);
  const parts: Uint8Array[] = [];
  for await (const part of format.encode(labelColumns(columns, []), stream.batches(), { ...defaults, ...options })) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const defaults: FormatOptions = { title: 'Sales', guardFormulas: true, maxCellBytes: 1 << 20 };
