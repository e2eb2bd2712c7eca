import type { EventEmitter } from 'node:events';

/** Parts of the driver that it does not declare. The suites in `test/contracts/mysql/` fail when they change. */

export interface Field {
  readonly name: string;
  readonly orgTable: string; // empty for expressions
  readonly columnType: number;
  readonly flags: number;
  readonly columnLength: number;
  readonly decimals: number;
  readonly characterSet: number;
  readonly extendedTypeName?: string | undefined; // MariaDB
  readonly extendedFormat?: string | undefined; // MariaDB
}

/** The driver caches it by its text until the connection is reset. */
export interface PreparedStatement {
  readonly columns: readonly Field[];
  readonly parameters: readonly unknown[];
  execute(values: readonly BindValue[]): Execution;
}

/** Emits `fields`, `error` and `end`. */
export interface Execution extends EventEmitter {
  /** Creates the row parser. The driver generates code for every row layout; we replace it by one that keeps the bytes. */
  buildParserFromFields(fields: readonly Field[]): new () => { next(packet: Packet): unknown };
}

/** One received row; the driver reuses the object for the next one. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

export type BindValue = string | bigint | Buffer | null;

export const Flag = { unsigned: 32, binary: 128, enum: 256, set: 2048 } as const;

export const binaryCharacterSet = 63;
