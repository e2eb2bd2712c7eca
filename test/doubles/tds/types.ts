import { Bytes } from './bytes.ts';
import { writeDate, writeDateTime, writeDateTime2, writeDateTimeOffset, writeSmallDateTime, writeTime } from './times.ts';

/** [MS-TDS] 2.2.5.4 and 2.2.5.5: a type and the encoding of its values, which are in the text form of the server. */
export interface WireType {
  readonly spelling: string;
  readonly info: Buffer;
  readonly userType?: number;
  readonly fromTable?: boolean;
  write(out: Bytes, text: string): void;
}

/** Latin1_General_CI_AS: Windows code page 1252. */
export const collation = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34]);
const utf8Collation = Buffer.from([0x09, 0x04, 0x10, 0x24, 0x00]);

/** Finds a type by its T-SQL name, such as `decimal(12,2)`. */
export function wireType(spelling: string): WireType {
  const [, name = '', first, second] = /^(\w+)(?:\((\w+)(?:,\s*(\d+))?\))?$/.exec(spelling.trim().toLowerCase()) ?? [];
  const sized = first === 'max' ? unlimited : Number(first ?? 1);
  const make = makers[name];
  if (make === undefined) throw new TypeError(`Type ${spelling} is not known.`);
  return make(spelling.toLowerCase(), first === undefined ? undefined : sized, Number(second ?? 0));
}

const unlimited = 0xffff;

type Maker = (spelling: string, size: number | undefined, scale: number) => WireType;

const integer =
  (bytes: number, least: bigint): Maker =>
  (spelling) => ({
    spelling,
    info: Buffer.from([0x26, bytes]),
    write(out, text) {
      const value = BigInt(text);
      const most = least === 0n ? 255n : -least - 1n;
      if (value < least || value > most) throw new RangeError(`${text} is out of range for ${spelling}.`);
      out.u8(bytes).whole(value, bytes);
    },
  });

const decimal =
  (token: number): Maker =>
  (spelling, precision = 18, scale) => ({
    spelling,
    info: Buffer.from([token, decimalBytes(precision), precision, scale]),
    write(out, text) {
      const value = toScaled(text, scale);
      if (String(value < 0n ? -value : value).length > precision) throw new RangeError(`${text} does not fit ${spelling}.`);
      out.u8(decimalBytes(precision));
      out.u8(value < 0n ? 0 : 1).whole(value < 0n ? -value : value, decimalBytes(precision) - 1);
    },
  });

const decimalBytes = (precision: number): number => (precision <= 9 ? 5 : precision <= 19 ? 9 : precision <= 28 ? 13 : 17);

/** The unscaled integer of a decimal; surplus digits are rounded half away from zero. */
function toScaled(text: string, scale: number): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^([-+]?)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (!/\d/.test(whole + fraction)) throw new TypeError(`${text} is no number.`);
  const kept = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0')) + (Number(fraction.charAt(scale)) >= 5 ? 1n : 0n);
  return sign === '-' ? -kept : kept;
}

const money =
  (bytes: 4 | 8): Maker =>
  (spelling) => ({
    spelling,
    info: Buffer.from([0x6e, bytes]),
    write(out, text) {
      const value = toScaled(text, 4);
      out.u8(bytes);
      if (bytes === 4) out.whole(value, 4);
      else out.whole(value >> 32n, 4).whole(value & 0xffff_ffffn, 4); // the upper half first
    },
  });

const floating =
  (bytes: 4 | 8): Maker =>
  (spelling) => ({
    spelling,
    info: Buffer.from([0x6d, bytes]),
    write: (out, text) => void (bytes === 4 ? out.u8(4).f32(Number(text)) : out.u8(8).f64(Number(text))),
  });

/** Characters or bytes with a length prefix, or in chunks for unlimited types. */
function createSizedType(
  spelling: string,
  head: number[],
  limit: number,
  tail: Buffer,
  encode: (text: string) => Buffer,
): WireType {
  return {
    spelling,
    info: new Bytes().raw(Buffer.from(head)).u16(limit).raw(tail).take(),
    write(out, text) {
      const bytes = encode(text);
      if (limit === unlimited) writeParts(out, bytes);
      else out.u16(bytes.length).raw(bytes);
    },
  };
}

/** Always in several chunks; every other value without a total length. */
function writeParts(out: Bytes, bytes: Buffer): void {
  out.i64(bytes.length % 2 === 0 ? BigInt(bytes.length) : -2n);
  const part = Math.max(1, Math.min(4000, Math.ceil(bytes.length / 3)));
  for (let at = 0; at < bytes.length; at += part) {
    const piece = bytes.subarray(at, at + part);
    out.u32(piece.length).raw(piece);
  }
  out.u32(0);
}

const hexBytes = (text: string): Buffer => Buffer.from(text.replace(/^0x/i, ''), 'hex');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
/** Code page 1252, as far as the tests need it. */
const latin = (text: string): Buffer => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
const byteLimit = (size: number | undefined, each: number): number => (size === unlimited ? unlimited : (size ?? 30) * each);

const unicode =
  (token: number): Maker =>
  (spelling, size) => {
    const type = createSizedType(spelling, [token], byteLimit(size, 2), collation, utf16);
    return token === 0xef ? padType(type, size ?? 1, ' ') : type;
  };

const letters =
  (token: number): Maker =>
  (spelling, size) => {
    const type = createSizedType(spelling, [token], byteLimit(size, 1), collation, latin);
    return token === 0xaf ? padType(type, size ?? 1, ' ') : type;
  };

const binary =
  (token: number): Maker =>
  (spelling, size) =>
    createSizedType(spelling, [token], byteLimit(size, 1), Buffer.alloc(0), hexBytes);

const padType = (type: WireType, length: number, filler: string): WireType => ({
  ...type,
  write: (out, text) => type.write(out, text.padEnd(length, filler)),
});

/** text, ntext and image: a pointer and a timestamp precede the length. */
const old =
  (token: number, tail: Buffer, encode: (text: string) => Buffer): Maker =>
  (spelling) => ({
    spelling,
    info: new Bytes().u8(token).u32(0x7fffffff).raw(tail).take(),
    fromTable: true,
    write(out, text) {
      const bytes = encode(text);
      out.u8(16).raw(Buffer.alloc(16, 0x61)).raw(Buffer.alloc(8, 0x62)).u32(bytes.length).raw(bytes);
    },
  });

const createTimeType =
  (token: number, write: (out: Bytes, text: string, scale: number) => void): Maker =>
  (spelling, scale = 7) => ({
    spelling: spelling.includes('(') ? spelling : `${spelling}(7)`,
    info: Buffer.from([token, scale]),
    write: (out, text) => write(out, text, scale),
  });

const plain =
  (info: number[], write: (out: Bytes, text: string) => void, userType?: number): Maker =>
  (spelling) => ({ spelling, info: Buffer.from(info), write, ...(userType === undefined ? {} : { userType }) });

/** The first three groups of a uuid are little-endian. */
function writeUuid(out: Bytes, text: string): void {
  const bytes = hexBytes(text.replaceAll('-', ''));
  if (bytes.length !== 16) throw new TypeError(`${text} is no uniqueidentifier.`);
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  out.u8(16).raw(bytes);
}

/** A value with its type as a prefix, such as `decimal:12.50`. */
function writeVariant(out: Bytes, text: string): void {
  const [, kind = '', value = ''] = /^(\w+):(.*)$/s.exec(text) ?? [];
  const inner = new Bytes();
  if (kind === 'decimal') {
    inner.u8(0x6c).u8(2).u8(38).u8(2);
    const number = toScaled(value, 2);
    inner.u8(number < 0n ? 0 : 1).whole(number < 0n ? -number : number, 16);
  } else if (kind === 'nvarchar') inner.u8(0xe7).u8(7).raw(collation).u16(8000).utf16(value);
  else if (kind === 'varchar') inner.u8(0xa7).u8(7).raw(collation).u16(8000).raw(latin(value));
  else if (kind === 'datetime2') {
    const time = new Bytes();
    writeDateTime2(time, value, 7);
    inner.u8(0x2a).u8(1).u8(7).raw(time.take().subarray(1));
  } else inner.u8(0x38).u8(0).whole(BigInt(value), 4);
  out.u32(inner.length).raw(inner.take());
}

const makers: Readonly<Record<string, Maker>> = {
  tinyint: integer(1, 0n),
  smallint: integer(2, -(2n ** 15n)),
  int: integer(4, -(2n ** 31n)),
  bigint: integer(8, -(2n ** 63n)),
  bit: plain([0x68, 1], (out, text) => void out.u8(1).u8(/^(1|true)$/.test(text) ? 1 : 0)),
  decimal: decimal(0x6a),
  numeric: decimal(0x6c),
  money: money(8),
  smallmoney: money(4),
  float: floating(8),
  real: floating(4),
  date: plain([0x28], writeDate),
  time: createTimeType(0x29, writeTime),
  datetime2: createTimeType(0x2a, writeDateTime2),
  datetimeoffset: createTimeType(0x2b, writeDateTimeOffset),
  datetime: plain([0x6f, 8], writeDateTime),
  smalldatetime: plain([0x6f, 4], writeSmallDateTime),
  uniqueidentifier: plain([0x24, 16], writeUuid),
  nvarchar: unicode(0xe7),
  nchar: unicode(0xef),
  sysname: () => createSizedType('nvarchar(128)', [0xe7], 256, collation, utf16),
  varchar: letters(0xa7),
  char: letters(0xaf),
  utf8: (_, size) => createSizedType('varchar(30)', [0xa7], byteLimit(size, 1), utf8Collation, (text) => Buffer.from(text)),
  varbinary: binary(0xa5),
  binary: binary(0xad),
  timestamp: (spelling) => ({ ...createSizedType(spelling, [0xad], 8, Buffer.alloc(0), hexBytes), userType: 80 }),
  text: old(0x23, collation, latin),
  ntext: old(0x63, collation, utf16),
  image: old(0x22, Buffer.alloc(0), hexBytes),
  xml: plain([0xf1, 0], (out, text) => writeParts(out, utf16(text))),
  sql_variant: plain([0x62, 0x49, 0x1f, 0, 0], writeVariant),
};
