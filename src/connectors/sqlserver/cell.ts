import type { ByteWriter } from '../../results/byte-writer.ts';
import type { SqlValue } from '../../sql-value.ts';

/** Converts the bytes of a cell. Not called for NULL. */
export interface Cell {
  json(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  text(bytes: Buffer, start: number, end: number, out: ByteWriter): void;
  value(bytes: Buffer, start: number, end: number): SqlValue;
}
