import { Bytes, Cursor } from './bytes.ts';

/** [MS-TDS] 2.2.6.5: the PRELOGIN response, without encryption. */
export function preloginAnswer(): Buffer {
  const version = Buffer.from([16, 0, 0x03, 0xe8, 0, 0]);
  const encryption = Buffer.from([2]); // not supported
  const heads = new Bytes();
  let offset = 2 * 5 + 1;
  for (const [token, value] of [version, encryption].entries()) {
    heads.u8(token).raw(bigEndian(offset)).raw(bigEndian(value.length));
    offset += value.length;
  }
  return heads.u8(0xff).raw(version).raw(encryption).take();
}

const bigEndian = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

export interface Login {
  readonly version: Buffer; // big-endian, as in LOGINACK
  readonly packetSize: number;
  readonly user: string;
  readonly password: string;
  readonly application: string;
  readonly database: string;
}

/** [MS-TDS] 2.2.6.4 */
export function readLogin(payload: Buffer): Login {
  const text = (at: number): string => new Cursor(payload, payload.readUInt16LE(at)).utf16(payload.readUInt16LE(at + 2));
  const hidden = new Cursor(payload, payload.readUInt16LE(44)).raw(payload.readUInt16LE(46) * 2);
  return {
    version: Buffer.from(payload.subarray(4, 8)).reverse(),
    packetSize: payload.readUInt32LE(8) || 4096,
    user: text(40),
    password: Buffer.from(hidden.map(reveal)).toString('utf16le'),
    application: text(48),
    database: text(68),
  };
}

/** Passwords have swapped nibbles and inverted bits. */
function reveal(byte: number): number {
  const turned = byte ^ 0xa5;
  return ((turned << 4) | (turned >> 4)) & 0xff;
}
