import { Connection } from 'tedious';
import { NotEnoughDataError } from 'tedious/lib/token/helpers.js';
import StreamParserModule from 'tedious/lib/token/stream-parser.js';
import { Parser as TokenStreamParser } from 'tedious/lib/token/token-stream-parser.js';
import type { WireColumn } from './cells.ts';

/** Receives the rows of a result as bytes. */
export interface RowSink {
  /** `cells` has the start and the end of each cell in `bytes`; a start below 0 is NULL. */
  take(bytes: Buffer, cells: readonly number[]): void;
}

/** A connection whose rows go to a sink, if there is one, instead of through the driver's value parser. */
export class RowConnection extends Connection {
  sink: RowSink | undefined;

  override createTokenStreamParser(...[message, handler]: ParserArguments): TokenStreamParser {
    if (this.sink === undefined) return super.createTokenStreamParser(message, handler);
    return new RowTokenStream(this.sink, message, this.debug, handler, this.config.options);
  }
}

type ParserArguments = Parameters<Connection['createTokenStreamParser']>;
type Handler = ParserArguments[1];

class RowTokenStream extends TokenStreamParser {
  readonly #sink: RowSink;

  constructor(sink: RowSink, ...rest: ConstructorParameters<typeof TokenStreamParser>) {
    super(...rest);
    this.#sink = sink;
  }

  /** The driver's method with a different parser. */
  override async run(message: AsyncIterable<Buffer> | Iterable<Buffer>, handler: Handler): Promise<void> {
    await undefined; // the base class calls this before the sink is set
    const parser = new RowParser(this.options, this.#sink);
    const chunks = Symbol.asyncIterator in message ? message[Symbol.asyncIterator]() : message[Symbol.iterator]();
    for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
      parser.write(chunk.value);
      for (;;) {
        while (this.paused) await this.#whenResumed();
        const token = parser.read();
        if (token === undefined) break;
        const handle: (token: never) => void = handler[token.handlerName];
        handle.call(handler, token as never);
      }
    }
    parser.end();
  }

  #whenResumed(): Promise<void> {
    return new Promise((resolve) => {
      this.onResume = resolve;
    });
  }
}

// the declaration is wrong: the module is the class
const StreamParser = StreamParserModule as unknown as typeof StreamParserModule.default;

const rowToken = 0xd1;
const rowTokenWithNulls = 0xd2;

/**
 * The driver's parser, except for rows: the driver converts decimals and money to floating point, which loses digits. Here rows
 * stay bytes, and only the start and end of each cell are determined.
 */
export class RowParser extends StreamParser {
  readonly #sink: RowSink;
  #cells: number[] = [];
  #layouts: readonly CellLayout[] = [];
  #layoutsOf: unknown;

  constructor(options: ConstructorParameters<typeof StreamParser>[0], sink: RowSink) {
    super(options);
    this.#sink = sink;
  }

  override readToken(): ReturnType<InstanceType<typeof StreamParser>['readToken']> {
    const token = this.buffer[this.position];
    if (token !== rowToken && token !== rowTokenWithNulls) {
      this.#flush();
      return super.readToken();
    }
    this.#readRow(token === rowTokenWithNulls);
    return undefined; // rows are not passed to the driver
  }

  override appendPending(): boolean {
    this.#flush(); // the buffer is about to change
    return super.appendPending();
  }

  #flush(): void {
    if (this.#cells.length === 0) return;
    const cells = this.#cells;
    this.#cells = [];
    this.#sink.take(this.buffer, cells);
  }

  /** Throws NotEnoughDataError, with the position unchanged, if the row is incomplete. */
  #readRow(withNulls: boolean): void {
    if (this.colMetadata !== this.#layoutsOf) {
      this.#layouts = this.colMetadata.map(layoutOf);
      this.#layoutsOf = this.colMetadata;
    }
    const { buffer } = this;
    const cells = this.#cells;
    const before = cells.length;
    const nulls = this.position + 1;
    let at = withNulls ? nulls + Math.ceil(this.#layouts.length / 8) : nulls;
    let parted = false;
    try {
      if (at > buffer.length) throw new NotEnoughDataError(at);
      for (let column = 0; column < this.#layouts.length; column++) {
        if (withNulls && ((buffer[nulls + (column >> 3)] ?? 0) & (1 << (column & 7))) !== 0) {
          cells.push(-1, -1);
          continue;
        }
        const layout = this.#layouts[column];
        if (layout === undefined) break;
        at = layout.find(buffer, at, cells);
        parted ||= layout.parted;
      }
    } catch (error) {
      cells.length = before;
      throw error;
    }
    if (parted) this.#joinParts(before);
    this.position = at;
  }

  /** Large values are sent in parts; joining them overwrites only their length prefixes. */
  #joinParts(from: number): void {
    const { buffer } = this;
    this.#layouts.forEach(({ parted }, column) => {
      const start = this.#cells[from + column * 2] ?? -1;
      if (!parted || start < 0) return;
      let end = start;
      let at = start;
      for (let length = buffer.readUInt32LE(at); length > 0; length = buffer.readUInt32LE(at)) {
        buffer.copyWithin(end, at + 4, at + 4 + length);
        end += length;
        at += 4 + length;
        if (end - start > longestCell) throw tooLongError();
      }
      this.#cells[from + column * 2 + 1] = end;
    });
  }
}

/** The layout of the cells of a column in a row. */
export interface CellLayout {
  /** Its value is sent in parts: `find` returns the start of the first and the end of the last one. */
  readonly parted: boolean;
  /** Appends the start and the end of the value at `at` to `cells`; returns the start of the next cell. */
  find(bytes: Buffer, at: number, cells: number[]): number;
}

const longestCell = 16 << 20;

function layoutOf({ type, dataLength }: WireColumn): CellLayout {
  const [fixed] = fixedLengths.find(([, names]) => names.includes(type.name)) ?? [];
  if (fixed !== undefined) return layoutOfLength(fixed);
  switch (type.name) {
    case 'VarChar':
    case 'NVarChar':
    case 'VarBinary':
      return dataLength === unlimited ? inParts : afterTwoBytes;
    case 'Char':
    case 'NChar':
    case 'Binary':
      return afterTwoBytes;
    case 'Text':
    case 'NText':
    case 'Image':
      return afterPointer;
    case 'Variant':
      return afterFourBytes;
    case 'Xml':
    case 'UDT':
      return inParts;
    default:
      return afterOneByte;
  }
}

const unlimited = 0xffff;

const fixedLengths: readonly (readonly [number, readonly string[]])[] = [
  [0, ['Null']],
  [1, ['TinyInt', 'Bit']],
  [2, ['SmallInt']],
  [4, ['Int', 'Real', 'SmallMoney', 'SmallDateTime']],
  [8, ['BigInt', 'Float', 'Money', 'DateTime']],
];

function layoutOfLength(length: number): CellLayout {
  return { parted: false, find: (bytes, at, cells) => appendCell(bytes, length === 0 ? -1 : at, at + length, cells) };
}

const afterOneByte = layoutAfterLength(1, 0);
const afterTwoBytes = layoutAfterLength(2, unlimited);
const afterFourBytes = layoutAfterLength(4, 0);

/** A length of `nullLength` is NULL. */
function layoutAfterLength(width: 1 | 2 | 4, nullLength: number): CellLayout {
  return {
    parted: false,
    find(bytes, at, cells) {
      const start = at + width;
      requireBytes(bytes, start);
      const length = width === 1 ? (bytes[at] ?? 0) : width === 2 ? bytes.readUInt16LE(at) : bytes.readUInt32LE(at);
      return length === nullLength ? appendCell(bytes, -1, start, cells) : appendCell(bytes, start, start + length, cells);
    },
  };
}

/** The old large types: a pointer, whose length of 0 is NULL, and the time of the row come first. */
const afterPointer: CellLayout = {
  parted: false,
  find(bytes, at, cells) {
    requireBytes(bytes, at + 1);
    const pointer = bytes[at] ?? 0;
    if (pointer === 0) return appendCell(bytes, -1, at + 1, cells);
    const start = at + 1 + pointer + 8 + 4;
    requireBytes(bytes, start);
    const length = bytes.readUInt32LE(start - 4);
    if (length > longestCell) throw tooLongError();
    return appendCell(bytes, start, start + length, cells);
  },
};

const noValue = 0xffff_ffff_ffff_ffffn;
const unknownLength = 0xffff_ffff_ffff_fffen;

const inParts: CellLayout = {
  parted: true,
  find(bytes, at, cells) {
    const start = at + 8;
    requireBytes(bytes, start);
    const total = bytes.readBigUInt64LE(at);
    if (total === noValue) return appendCell(bytes, -1, start, cells);
    if (total !== unknownLength) {
      if (total > BigInt(longestCell)) throw tooLongError();
      // the full length at once, so that a large value is not parsed again for each packet
      requireBytes(bytes, start + Number(total) + (total === 0n ? 4 : 8));
    }
    for (let next = start; ;) {
      requireBytes(bytes, next + 4);
      const length = bytes.readUInt32LE(next);
      next += 4 + length;
      if (next - start > 2 * longestCell) throw tooLongError();
      if (length === 0) return appendCell(bytes, start, next, cells);
    }
  },
};

function requireBytes(bytes: Buffer, end: number): void {
  if (end > bytes.length) throw new NotEnoughDataError(end);
}

/** Appends a cell that ends where the next one starts. */
function appendCell(bytes: Buffer, start: number, end: number, cells: number[]): number {
  requireBytes(bytes, end);
  cells.push(start, end);
  return end;
}

const tooLongError = (): RangeError => new RangeError('A cell is longer than 16 MiB.');
