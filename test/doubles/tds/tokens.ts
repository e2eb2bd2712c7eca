import { Bytes } from './bytes.ts';
import type { WireType } from './types.ts';

/** [MS-TDS] 2.2.7: the tokens of a response. */

export interface SqlError {
  readonly number: number;
  readonly message: string;
  readonly line?: number;
  readonly severity?: number;
}

export interface WireColumn {
  readonly name: string;
  readonly type: WireType;
}

export const doneStatus = { final: 0, more: 1, error: 2, count: 0x10, attention: 0x20 } as const;

const serverName = 'double';

export function loginAck(version: Buffer): Buffer {
  const body = new Bytes().u8(1).raw(version).shortText('Microsoft SQL Server').u8(16).u8(0).u8(0x03).u8(0xe8).take();
  return new Bytes().u8(0xad).u16(body.length).raw(body).take();
}

export function done(status: number, rows = 0, token: 'done' | 'doneInProc' | 'doneProc' = 'done'): Buffer {
  const types = { done: 0xfd, doneProc: 0xfe, doneInProc: 0xff };
  return new Bytes().u8(types[token]).u16(status).u16(0xc1).i64(BigInt(rows)).take();
}

export const returnStatus = (value: number): Buffer => new Bytes().u8(0x79).u32(value).take();

/** An integer for an output parameter. */
export const returnValue = (name: string, value: number): Buffer =>
  new Bytes().u8(0xac).u16(0).shortText(name).u8(1).u32(0).u16(0).u8(0x26).u8(4).u8(4).u32(value).take();

export const errorToken = (error: SqlError): Buffer => notice(0xaa, error, error.severity ?? 16);
export const infoToken = (info: SqlError): Buffer => notice(0xab, info, info.severity ?? 0);

function notice(token: number, { number, message, line = 1 }: SqlError, severity: number): Buffer {
  const body = new Bytes().u32(number).u8(1).u8(severity).longText(message).shortText(serverName).shortText('').u32(line).take();
  return new Bytes().u8(token).u16(body.length).raw(body).take();
}

export const changed = {
  database: (name: string): Buffer => change(1, shortText(name), shortText('')),
  packetSize: (size: number): Buffer => change(4, shortText(String(size)), shortText('4096')),
  collation: (collation: Buffer): Buffer => change(7, shortBytes(collation), shortBytes()),
  begun: (transaction: Buffer): Buffer => change(8, shortBytes(transaction), shortBytes()),
  committed: (transaction: Buffer): Buffer => change(9, shortBytes(), shortBytes(transaction)),
  rolledBack: (transaction: Buffer): Buffer => change(10, shortBytes(), shortBytes(transaction)),
  reset: (): Buffer => change(18, shortBytes(), shortBytes()),
};

function change(type: number, now: Buffer, before: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([type]), now, before]);
  return new Bytes().u8(0xe3).u16(body.length).raw(body).take();
}

const shortText = (text: string): Buffer => new Bytes().shortText(text).take();
const shortBytes = (bytes: Buffer = Buffer.alloc(0)): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);

const nullable = 1;

export function columnMetadata(columns: readonly WireColumn[]): Buffer {
  const out = new Bytes().u8(0x81).u16(columns.length);
  for (const { name, type } of columns) {
    out
      .u32(type.userType ?? 0)
      .u16(nullable)
      .raw(type.info);
    if (type.fromTable) out.u8(1).longText('items'); // the old large types include their table name
    out.shortText(name);
  }
  return out.take();
}

export const orderToken = (columns: readonly number[]): Buffer => {
  const out = new Bytes().u8(0xa9).u16(columns.length * 2);
  for (const column of columns) out.u16(column);
  return out.take();
};

export type Row = readonly (string | null)[];

/** Uses a NULL bitmap when a row has NULLs, like servers. */
export function writeRow(out: Bytes, columns: readonly WireColumn[], row: Row): void {
  const nulls = row.some((cell) => cell === null);
  out.u8(nulls ? 0xd2 : 0xd1);
  if (nulls) {
    for (let byte = 0; byte < Math.ceil(columns.length / 8); byte++) {
      let bits = 0;
      for (let bit = 0; bit < 8; bit++) if (row[byte * 8 + bit] === null) bits |= 1 << bit;
      out.u8(bits);
    }
  }
  columns.forEach(({ type }, index) => {
    const cell = row[index] ?? null;
    if (cell !== null) type.write(out, cell);
  });
}
