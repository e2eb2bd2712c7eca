import { LRUCache } from 'lru-cache';
import type { Bucket } from './bucket.ts';

/**
 * A growing sequence of bytes as objects of a fixed size, `<name>/<number>`, so that a position determines the object. The last one is replaced
 * by a longer one until it is full: the part that a reader has cached stays valid.
 */
const segmentKey = (name: string, index: number) => `${name}/${String(index).padStart(6, '0')}`;

export const segmentKeys = (name: string, bytes: number, segmentBytes: number): readonly string[] =>
  Array.from({ length: Math.ceil(bytes / segmentBytes) }, (_, index) => segmentKey(name, index));

/** The part of such a sequence that is not stored yet, and its last segment. */
export class GrowingSegments {
  readonly name: string;
  length = 0;
  storedLength = 0;
  readonly #segmentBytes: number;
  #segments = new Map<number, Buffer>(); // full ones until they are stored, and the last

  constructor(name: string, segmentBytes: number) {
    this.name = name;
    this.#segmentBytes = segmentBytes;
  }

  get waitingBytes(): number {
    return this.length - this.storedLength;
  }

  /** The size of the segment that is not full. */
  get lastBytes(): number {
    return this.length % this.#segmentBytes;
  }

  append(bytes: Buffer): void {
    for (let done = 0; done < bytes.length;) {
      const index = Math.floor(this.length / this.#segmentBytes);
      const used = this.length % this.#segmentBytes;
      const added = Math.min(bytes.length - done, this.#segmentBytes - used);
      const segment = this.#withRoom(index, used, used + added);
      bytes.copy(segment, used, done, done + added);
      done += added;
      this.length += added;
    }
  }

  /** Objects with everything that is not stored yet; call `markStored` with the same length once they are. */
  listUnstored(): readonly { readonly key: string; readonly body: Buffer }[] {
    if (this.waitingBytes === 0) return [];
    const first = Math.floor(this.storedLength / this.#segmentBytes);
    const objects: { key: string; body: Buffer }[] = [];
    for (let index = first; index * this.#segmentBytes < this.length; index++) {
      const body = this.#segments.get(index)?.subarray(0, Math.min(this.#segmentBytes, this.length - index * this.#segmentBytes));
      if (body) objects.push({ key: segmentKey(this.name, index), body });
    }
    return objects;
  }

  markStored(length: number): void {
    this.storedLength = length;
    const complete = Math.floor(length / this.#segmentBytes);
    for (const index of this.#segments.keys()) if (index < complete) this.#segments.delete(index);
  }

  /** Bytes of one segment that are in memory; null if they are not. */
  sliceInMemory(start: number, end: number): Buffer | null {
    const index = Math.floor(start / this.#segmentBytes);
    const from = index * this.#segmentBytes;
    return this.#segments.get(index)?.subarray(start - from, end - from) ?? null;
  }

  /** Doubles the memory as needed: most results are smaller than a segment. Bytes that were written stay where readers found them. */
  #withRoom(index: number, used: number, needed: number): Buffer {
    const known = this.#segments.get(index);
    if (known && known.length >= needed) return known;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#segmentBytes, Math.max(1 << 16, needed * 2)));
    known?.copy(larger, 0, 0, used);
    this.#segments.set(index, larger);
    return larger;
  }
}

/** Caches parts of segments that were read recently, and what follows them if they are read in order. */
export class SegmentReader {
  readonly #bucket: Bucket;
  readonly #cached = new LRUCache<string, { readonly start: number; readonly bytes: Buffer }>({
    maxSize: cacheBytes,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
  });
  readonly #reading = new Map<string, Promise<Buffer | null>>(); // whole segments

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /**
   * The bytes from `start` up to but excluding `end`, by one request for each segment that is not cached; fewer if they are missing.
   * `length` is the known length of the sequence.
   */
  async read(from: SegmentedBytes, start: number, end: number): Promise<Buffer> {
    const { name, segmentBytes, length, memory } = from;
    const parts: Buffer[] = [];
    for (let at = start; at < end;) {
      const index = Math.floor(at / segmentBytes);
      const first = index * segmentBytes;
      const until = Math.min(end, first + segmentBytes);
      const known = Math.min(segmentBytes, length - first);
      const part =
        memory?.sliceInMemory(at, until) ??
        (await this.#readSegment(from, segmentKey(name, index), at - first, until - first, known));
      parts.push(part);
      if (part.length < until - at) break;
      at = until;
    }
    const [only] = parts;
    return parts.length === 1 && only ? only : Buffer.concat(parts);
  }

  async #readSegment(
    { aheadBytes, isReadWhole }: SegmentedBytes,
    key: string,
    start: number,
    end: number,
    known: number,
  ): Promise<Buffer> {
    const cached = this.#cached.get(key);
    const cachedEnd = cached ? cached.start + cached.bytes.length : 0;
    if (cached && cached.start <= start && end <= cachedEnd)
      return cached.bytes.subarray(start - cached.start, end - cached.start);
    const isInOrder = start === 0 || (cached !== undefined && start >= cached.start && start - cachedEnd < aheadBytes);
    if (isReadWhole && !isInOrder) {
      const whole = (await this.#readWhole(key, known)) ?? Buffer.alloc(0);
      if (whole.length > 0) this.#cached.set(key, { start: 0, bytes: whole });
      return whole.subarray(start, end);
    }
    const until = isInOrder ? Math.max(end, Math.min(known, end + aheadBytes)) : end;
    const bytes = (await this.#bucket.getRange(key, start, until)) ?? Buffer.alloc(0);
    if (bytes.length >= end - start) this.#cached.set(key, { start, bytes });
    return bytes.subarray(0, end - start);
  }

  /** Concurrent callers share one request. */
  #readWhole(key: string, known: number): Promise<Buffer | null> {
    const name = `${key} ${known}`;
    const reading = this.#reading.get(name) ?? this.#bucket.getRange(key, 0, known).finally(() => this.#reading.delete(name));
    this.#reading.set(name, reading);
    return reading;
  }
}

export interface SegmentedBytes {
  readonly name: string;
  readonly segmentBytes: number;
  readonly aheadBytes: number; // read in advance if parts are read in order
  readonly isReadWhole: boolean; // reads out of order load the whole segment, because later ones will need other parts of it
  readonly length: number;
  readonly memory: Pick<GrowingSegments, 'sliceInMemory'> | undefined;
}

const cacheBytes = 32 << 20;
