import type { EventEmitter } from 'node:events';

/** What the driver has, but does not declare. `test/contracts/mysql.test.ts` notices when it changes. */

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
  /** Creates the row parser. The driver generates code for every row layout; ours keeps the bytes. */
  buildParserFromFields(fields: readonly Field[]): new () => { next(packet: Packet): unknown };
}

/** One received row; the driver reuses the object for the next one. */
export interface Packet {
  readonly buffer: Buffer;
  readonly offset: number;
  readonly end: number;
}

export type BindValue = string | bigint | Buffer | null;

/** Column types of the protocol. */
export const Type = {
  oldDecimal: 0,
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  varchar: 15,
  bit: 16,
  vector: 242,
  json: 245,
  decimal: 246,
  enum: 247,
  set: 248,
  tinyBlob: 249,
  mediumBlob: 250,
  longBlob: 251,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const;

export const Flag = { unsigned: 32, binary: 128, enum: 256, set: 2048 } as const;

export const binaryCharacterSet = 63;
