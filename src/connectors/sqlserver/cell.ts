import type { ByteWriter } from '../../results/byte-writer.ts';
import type { SqlValue } from '../../sql-value.ts';

/** How the bytes of a cell are shown. Never asked about NULL. */
export interface Cell {
  json(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  text(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  value(bytes: Buffer, start: number, end: number): SqlValue;
}
