import { Cursor } from './bytes.ts';

/** A request: a SQL batch, or a procedure call with parameters. */
export interface Request {
  readonly transaction: bigint; // the transaction that the client believes to be in
  readonly batch?: string;
  readonly procedure?: string;
  readonly parameters: readonly RequestParameter[];
}

export interface RequestParameter {
  readonly name: string; // with its `@`
  readonly value: string | null; // in the text form of the server
}

/** [MS-TDS] 2.2.6.7 */
export function readBatch(payload: Buffer): Request {
  const { transaction, length } = readHeaders(payload);
  return { transaction, batch: payload.toString('utf16le', length), parameters: [] };
}

const procedures: ReadonlyMap<number, string> = new Map([[10, 'sp_executesql']]);

/** [MS-TDS] 2.2.6.6 */
export function readRpc(payload: Buffer): Request {
  const { transaction, length } = readHeaders(payload);
  const cursor = new Cursor(payload, length);
  const letters = cursor.u16();
  const procedure = letters === 0xffff ? (procedures.get(cursor.u16()) ?? 'unknown') : cursor.utf16(letters);
  cursor.u16(); // options
  const parameters: RequestParameter[] = [];
  while (!cursor.atEnd) {
    const name = cursor.utf16(cursor.u8());
    cursor.u8(); // status
    parameters.push({ name, value: readValue(cursor) });
  }
  return { transaction, procedure, parameters };
}

/** [MS-TDS] 2.2.5.3 */
function readHeaders(payload: Buffer): { transaction: bigint; length: number } {
  const cursor = new Cursor(payload);
  const length = cursor.u32();
  let transaction = 0n;
  while (cursor.at < length) {
    const end = cursor.at + cursor.u32();
    if (cursor.u16() === 2) transaction = cursor.u64();
    cursor.at = end;
  }
  return { transaction, length };
}

function readValue(cursor: Cursor): string | null {
  const type = cursor.u8();
  switch (type) {
    case 0x26: // whole numbers
      cursor.u8();
      return whole(cursor.raw(cursor.u8()));
    case 0x68: // bit
      cursor.u8();
      return whole(cursor.raw(cursor.u8()));
    case 0x6d: {
      cursor.u8();
      const bytes = cursor.raw(cursor.u8());
      if (bytes.length === 0) return null;
      return String(bytes.length === 4 ? bytes.readFloatLE() : bytes.readDoubleLE());
    }
    case 0x24: {
      cursor.u8();
      const bytes = cursor.raw(cursor.u8());
      return bytes.length === 0 ? null : uuid(bytes);
    }
    case 0xe7:
      return readLong(cursor, cursor.u16(), 5)?.toString('utf16le') ?? null;
    case 0xa5: {
      const bytes = readLong(cursor, cursor.u16(), 0);
      return bytes === null ? null : `0x${bytes.toString('hex')}`;
    }
    default:
      throw new TypeError(`Parameters of type 0x${type.toString(16)} are not known.`);
  }
}

function readLong(cursor: Cursor, limit: number, collationLength: number): Buffer | null {
  cursor.raw(collationLength);
  if (limit !== 0xffff) {
    const length = cursor.u16();
    return length === 0xffff ? null : cursor.raw(length);
  }
  if (cursor.u64() === 0xffff_ffff_ffff_ffffn) return null;
  const parts: Buffer[] = [];
  for (let length = cursor.u32(); length > 0; length = cursor.u32()) parts.push(cursor.raw(length));
  return Buffer.concat(parts);
}

function whole(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  if (bytes.length === 1) return String(bytes[0]);
  return bytes.length === 8 ? String(bytes.readBigInt64LE()) : String(bytes.readIntLE(0, bytes.length));
}

function uuid(bytes: Buffer): string {
  const hex = Buffer.concat([
    Buffer.from(bytes.subarray(0, 4)).reverse(),
    Buffer.from(bytes.subarray(4, 6)).reverse(),
    Buffer.from(bytes.subarray(6, 8)).reverse(),
    bytes.subarray(8),
  ]).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
}
