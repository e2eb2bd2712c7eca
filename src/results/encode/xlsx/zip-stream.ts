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

type Field = readonly [bytes: 2 | 4 | 8, value: number];

/** Little-endian fields in order. */
function record(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of fields) {
    at = size === 8 ? bytes.writeBigUInt64LE(BigInt(value), at) : bytes.writeUIntLE(value, at, size);
  }
  return bytes;
}

/** Version, flags, method, time and date, the same in both headers. */
const common = (version: number): readonly Field[] => [
  [2, version],
  [2, sizesFollow | namesInUtf8],
  [2, deflated],
  [2, 0],
  [2, firstDay],
];

const localHeader = ({ name }: Entry): Buffer =>
  record([4, 0x04034b50], ...common(20), [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]);

const descriptor = ({ crc, size, packedSize }: Entry): Buffer => record([4, 0x08074b50], [4, crc], [4, packedSize], [4, size]);

/** An entry of the central directory; `far`: its offset needs 64 bits. */
function listed({ name, offset, crc, size, packedSize }: Entry, far: boolean): Buffer[] {
  const version = far ? 45 : 20;
  const extra = far ? record([2, 1], [2, 8], [8, offset]) : Buffer.alloc(0);
  const kind = record([4, 0x02014b50], [2, version], ...common(version));
  const sizes = record([4, crc], [4, packedSize], [4, size], [2, name.length], [2, extra.length]);
  const noAttributes = Buffer.alloc(10);
  return [kind, sizes, noAttributes, record([4, far ? 0xffffffff : offset]), name, extra];
}

interface ListFields {
  readonly count: number;
  readonly start: number;
  readonly size: number;
}

function zip64End({ count, start, size }: ListFields): Buffer {
  const end = record([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count], [8, size], [8, start]);
  const locator = record([4, 0x07064b50], [4, 0], [8, start + size], [4, 1]);
  return Buffer.concat([end, locator]);
}

const endOfList = ({ count, start, size }: ListFields, large: boolean): Buffer =>
  record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, large ? 0xffffffff : start], [2, 0]);
