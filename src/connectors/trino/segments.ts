import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { mostBytes } from './http-client.ts';
import { parseLosslessly, type TrinoRow } from './query-page.ts';

/** The encodings of segments that we can decode, in order of preference. Node has no LZ4. */
export const encodings = ['json+zstd', 'json'] as const;

/** A part of a result: in the page itself, or stored by the server under an address. */
export type Segment = SegmentFacts & (InlineSegment | SpooledSegment);

export interface InlineSegment {
  readonly type: 'inline';
  readonly data: string; // base64
}

export interface SpooledSegment {
  readonly type: 'spooled';
  readonly uri: string;
  readonly ackUri: string;
  /** To be sent with both addresses, such as the key that the segment is encrypted with. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

export interface SegmentFacts {
  readonly rowOffset: number;
  readonly rowsCount: number;
  /** In bytes, as it is stored. */
  readonly segmentSize: number;
  /** Only of compressed segments: small ones are not. */
  readonly uncompressedSize?: number | undefined;
}

/** The server sent something else than it announced. */
export class DamagedResultError extends Error {}

/** The segments of `data` in a page. Throws DamagedResultError. */
export function segmentsOf(data: unknown): readonly Segment[] {
  const read = encodedData.safeParse(data);
  if (!read.success) throw new DamagedResultError(`The result has an unknown form: ${z.prettifyError(read.error)}`);
  return read.data.segments.map(({ metadata, ...segment }) => {
    const facts = { ...metadata, ...(read.data.encoding === 'json' ? { uncompressedSize: undefined } : {}) };
    if (Math.max(facts.segmentSize, facts.uncompressedSize ?? 0) > mostBytes)
      throw new DamagedResultError(
        `A segment is larger than ${mostBytes} bytes. Lower protocol.spooling.max-segment-size of the server.`,
      );
    return { ...segment, ...facts };
  });
}

const whole = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);
const metadata = z.object({ rowOffset: whole, rowsCount: whole, segmentSize: whole, uncompressedSize: whole.optional() });
const encodedData = z.object({
  encoding: z.enum(encodings),
  segments: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('inline'), data: z.string(), metadata }),
      z.object({
        type: z.literal('spooled'),
        uri: z.string(),
        ackUri: z.string(),
        headers: z
          .record(z.string(), z.array(z.string()))
          .nullish()
          .transform((headers) => headers ?? {}),
        metadata,
      }),
    ]),
  ),
});

const inflate = promisify(zstdDecompress);

/** The JSON of a segment. */
export async function decodeSegment(bytes: Buffer, { segmentSize, uncompressedSize }: SegmentFacts): Promise<Buffer> {
  if (bytes.length !== segmentSize)
    throw new DamagedResultError(`A segment has ${bytes.length} bytes instead of ${segmentSize}.`);
  if (uncompressedSize === undefined) return bytes;
  const json = await inflate(bytes, { maxOutputLength: Math.max(1, uncompressedSize) }).catch((error: unknown) => {
    throw new DamagedResultError('A segment cannot be decompressed.', { cause: error });
  });
  if (json.length === uncompressedSize) return json;
  throw new DamagedResultError(`A segment has ${json.length} decompressed bytes instead of ${uncompressedSize}.`);
}

const chunkBytes = 128 * 1024;

/** Parses the rows of a segment in small parts: segments have many megabytes, and parsing blocks everything else. */
export class SegmentRows {
  readonly #json: Buffer;
  readonly #columns: number;
  #left: number;
  #at: number;

  constructor(json: Buffer, { rowsCount }: SegmentFacts, columns: number) {
    this.#json = json;
    this.#columns = columns;
    this.#left = rowsCount;
    this.#at = json.indexOf(opening) + 1;
    if (this.#at === 0) throw notRows();
  }

  /** The next rows; undefined after the last one. */
  next(): readonly TrinoRow[] | undefined {
    const json = this.#json;
    while (isGap(json[this.#at])) this.#at++;
    if (json[this.#at] === closing) {
      if (this.#left !== 0) throw new DamagedResultError(`A segment has ${this.#left} rows less than announced.`);
      return undefined;
    }
    const end = endOfRows(json, this.#at);
    const rows = parsed(`[${json.toString('utf8', this.#at, end)}]`);
    if (!rows.every((row) => Array.isArray(row) && row.length === this.#columns)) throw notRows();
    this.#left -= rows.length;
    if (this.#left < 0) throw new DamagedResultError('A segment has more rows than announced.');
    this.#at = end;
    return rows;
  }
}

const quote = 34;
const comma = 44;
const opening = 91;
const backslash = 92;
const closing = 93;

const isGap = (byte: number | undefined): boolean => byte === comma || byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** The end of the last whole row in the next part. */
function endOfRows(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) {
      for (at++; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++;
    } else if (byte === opening) depth++;
    else if (byte === closing) {
      if (depth === 0) return at; // the end of the list
      depth--;
      if (depth === 0 && at - start >= chunkBytes) return at + 1;
    }
  }
  throw notRows();
}

function parsed(text: string): readonly TrinoRow[] {
  try {
    return parseLosslessly(text);
  } catch {
    throw notRows();
  }
}

// without the cause: its message quotes what was received, which may come from anywhere
const notRows = (): DamagedResultError => new DamagedResultError('A segment has something else than rows of the result.');
