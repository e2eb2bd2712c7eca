import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { freeBytes } from '../../results/byte-writer.ts';

export const contentCodings = ['zstd', 'br', 'gzip'] as const; // in order of preference
export type ContentCoding = (typeof contentCodings)[number];

/** The coding negotiated by `Accept-Encoding` (RFC 9110, 12.5.3); null: none. */
export function contentCodingOf(accepted: string | undefined): ContentCoding | null {
  const weights = new Map<string, number>();
  for (const each of (accepted ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim());
    const weight = parameters.map((parameter) => /^q\s*=\s*(\d(?:\.\d+)?)$/.exec(parameter)?.[1]).find((q) => q !== undefined);
    if (coding !== '') weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight ?? 1));
  }
  const rest = weights.get('*') ?? 0;
  let best: ContentCoding | null = null;
  let weightOfBest = 0;
  for (const coding of contentCodings) {
    const weight = weights.get(coding) ?? rest;
    if (weight > weightOfBest) [best, weightOfBest] = [coding, weight];
  }
  return weightOfBest >= (weights.get('identity') ?? 0) ? best : null;
}

/** A smaller body is sent as it is: the thread that compresses it takes longer than a network for the bytes saved. */
export const MIN_COMPRESSED_BYTES = 8 << 10;

/** Names headers of the request that the response depends on, beside those that are named already, such as Origin. */
export const addVary = (reply: FastifyReply, names: string): FastifyReply =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], names].flat().join(', '));

export const varyByCoding = (reply: FastifyReply): FastifyReply => addVary(reply, 'Accept-Encoding');

/** A response stream with backpressure; an error in the source aborts the response. */
export function bodyStream(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, coding: ContentCoding | null): Readable {
  const bytes = Readable.from(body, { objectMode: false, highWaterMark: 64 << 10 });
  // pipeline requires a callback; errors also destroy the returned stream
  return coding === null ? bytes : pipeline(bytes, compressors[coding](), () => undefined);
}

/**
 * The fastest level of each: a page of 1000 rows becomes an eighth in half a millisecond, and higher levels take up to four times as long for a tenth less
 * (docs/adr/0074-compression-that-pays.md).
 */
const compressors: Readonly<Record<ContentCoding, () => Transform>> = {
  br: () => createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ chunkSize, level: 1 }),
  zstd: () => createZstdCompress({ chunkSize, params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
};
const chunkSize = 128 << 10; // of the output: a compressed page fits into one

/** Compresses a complete body outside of the event loop. Nothing else uses the body: its memory is freed, and that of the compressor. */
export async function compressOnce(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  const compressor = compressors[coding]();
  const parts: Buffer[] = [];
  try {
    compressor.end(body);
    for await (const part of compressor) parts.push(part);
    return Buffer.concat(parts);
  } finally {
    for (const each of [body, ...parts]) freeBytes(each);
  }
}
