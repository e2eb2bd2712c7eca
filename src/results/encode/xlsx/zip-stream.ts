import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';

/**
 * A zip archive that is sent while it is written. Each part of a file is compressed on another thread while the caller produces the next
 * one, so a call returns the bytes of the previous part.
 */
export class ZipStream {
  readonly #entries: Entry[] = [];
  readonly #zip64From: number;
  #offset = 0;
  #open: Entry | undefined;
  #deflater: Deflater | undefined;
  #pending: Promise<Buffer> | undefined;

  /** `zip64From`: the size from which an archive needs 64-bit fields; tests pass a smaller one. */
  constructor(zip64From = 0xffffffff) {
    this.#zip64From = zip64From;
  }

  /** Begins a file; the previous one must have ended. */
  begin(name: string): Buffer {
    const entry = { name: Buffer.from(name), offset: this.#offset, crc: 0, size: 0, packedSize: 0 };
    this.#entries.push(entry);
    this.#open = entry;
    this.#deflater = new Deflater();
    return this.#sent(Buffer.concat([localHeader(entry), entry.name]));
  }

  /** The bytes must not change before the next call has returned. */
  async write(part: Uint8Array): Promise<Buffer> {
    const { entry, deflater } = this.#opened();
    entry.crc = crc32(part, entry.crc);
    entry.size += part.length;
    const before = await this.#pending;
    this.#pending = deflater.deflate(part);
    return this.#packed(entry, before);
  }

  async end(): Promise<Buffer> {
    const { entry } = this.#opened();
    const rest = this.#packed(entry, await this.#pending);
    this.close();
    this.#open = undefined;
    entry.packedSize += lastBlock.length;
    // readers accept 64-bit sizes only if the header announced them, which makes Excel report a damaged file
    if (entry.size >= 0xffffffff || entry.packedSize >= 0xffffffff) throw new RangeError(`${entry.name} is larger than 4 GiB.`);
    const tail = Buffer.concat([lastBlock, descriptor(entry)]);
    this.#offset += tail.length;
    return Buffer.concat([rest, tail]);
  }

  /** The central directory, which ends the archive. */
  finish(): Buffer {
    const start = this.#offset;
    const list = Buffer.concat(this.#entries.flatMap((entry) => listed(entry, entry.offset >= this.#zip64From)));
    const fields = { count: this.#entries.length, start, size: list.length };
    const large = start + list.length >= this.#zip64From ? zip64End(fields) : Buffer.alloc(0);
    return Buffer.concat([list, large, endOfList(fields, large.length > 0)]);
  }

  /** Releases the resources of an open file. */
  close(): void {
    this.#pending = undefined;
    this.#deflater?.close();
    this.#deflater = undefined;
  }

  #opened(): { readonly entry: Entry; readonly deflater: Deflater } {
    if (this.#open === undefined || this.#deflater === undefined) throw new Error('No file of the archive is open.');
    return { entry: this.#open, deflater: this.#deflater };
  }

  #packed(entry: Entry, bytes: Buffer = Buffer.alloc(0)): Buffer {
    entry.packedSize += bytes.length;
    return this.#sent(bytes);
  }

  #sent(bytes: Buffer): Buffer {
    this.#offset += bytes.length;
    return bytes;
  }
}

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  crc: number;
  size: number;
  packedSize: number;
}

/** One stream for all parts of a file: a stream per part would leave a quarter of a megabyte to the garbage collector. */
class Deflater {
  readonly #stream: DeflateRaw = createDeflateRaw({ level: 1, chunkSize: 128 << 10 });
  #pieces: Buffer[] = [];
  #error: Error | null = null;

  constructor() {
    this.#stream.on('data', (piece: Buffer) => this.#pieces.push(piece));
    this.#stream.on('error', (error) => {
      this.#error = error;
    });
  }

  async deflate(part: Uint8Array): Promise<Buffer> {
    this.#stream.write(part);
    // a sync flush ends on a whole byte and leaves the stream open, so that parts may follow each other
    await new Promise<void>((resolve) => this.#stream.flush(constants.Z_SYNC_FLUSH, resolve));
    if (this.#error !== null) throw this.#error;
    const pieces = this.#pieces;
    this.#pieces = [];
    return Buffer.concat(pieces);
  }

  close(): void {
    this.#stream.close();
  }
}

const lastBlock = Buffer.from([3, 0]);

const sizesFollow = 8;
const namesInUtf8 = 0x800;
const deflated = 8;
const firstDay = (1 << 5) | 1; // 1980-01-01, the earliest date of zip: equal results are equal files

function localHeader({ name }: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4);
  header.writeUInt16LE(name.length, 26);
  return header;
}

/** Version, flags, method and date, the same in both headers. */
function writeCommon(header: Buffer, at: number): void {
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(sizesFollow | namesInUtf8, at + 2);
  header.writeUInt16LE(deflated, at + 4);
  header.writeUInt16LE(firstDay, at + 8);
}

function descriptor({ crc, size, packedSize }: Entry): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(packedSize, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

function listed({ name, offset, crc, size, packedSize }: Entry, far: boolean): Buffer[] {
  const header = Buffer.alloc(46);
  const extra = Buffer.alloc(far ? 12 : 0);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(far ? 45 : 20, 4);
  writeCommon(header, 6);
  if (far) header.writeUInt16LE(45, 6);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(packedSize, 20);
  header.writeUInt32LE(size, 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(far ? 0xffffffff : offset, 42);
  if (far) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  return [header, name, extra];
}

interface ListFields {
  readonly count: number;
  readonly start: number;
  readonly size: number;
}

function zip64End({ count, start, size }: ListFields): Buffer {
  const bytes = Buffer.alloc(56 + 20);
  bytes.writeUInt32LE(0x06064b50, 0);
  bytes.writeBigUInt64LE(44n, 4);
  bytes.writeUInt16LE(45, 12);
  bytes.writeUInt16LE(45, 14);
  bytes.writeBigUInt64LE(BigInt(count), 24);
  bytes.writeBigUInt64LE(BigInt(count), 32);
  bytes.writeBigUInt64LE(BigInt(size), 40);
  bytes.writeBigUInt64LE(BigInt(start), 48);
  bytes.writeUInt32LE(0x07064b50, 56);
  bytes.writeBigUInt64LE(BigInt(start + size), 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}

function endOfList({ count, start, size }: ListFields, large: boolean): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x06054b50, 0);
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(size, 12);
  bytes.writeUInt32LE(large ? 0xffffffff : start, 16);
  return bytes;
}
