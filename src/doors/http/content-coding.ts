import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { FastifyReply } from 'fastify';

export const contentCodings = ['zstd', 'br', 'gzip'] as const; // in the order in which we prefer them
export type ContentCoding = (typeof contentCodings)[number];

/** What `Accept-Encoding` asks for (RFC 9110, 12.5.3); null for the bytes as they are. */
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

export const varyByCoding = (reply: FastifyReply): FastifyReply =>
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', '));

/** A stream for the wire: it takes no more than the wire does, and what breaks it breaks the wire. */
export function bodyStream(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, coding: ContentCoding | null): Readable {
  const bytes = Readable.from(body, { objectMode: false, highWaterMark: 64 << 10 });
  // the callback is for the pipeline's own use: an error also ends the stream that is returned
  return coding === null ? bytes : pipeline(bytes, compressors[coding](), () => undefined);
}

const compressors: Readonly<Record<ContentCoding, () => Transform>> = {
  // quality 11, the default, is for what is compressed once and sent a thousand times
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 5 }),
  zstd: () => createZstdCompress(),
};
