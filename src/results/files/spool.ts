import type { FileHandle } from 'node:fs/promises';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import { rethrowStorageErrors, SpaceExhaustedError } from '../snapshot/stop.ts';
import { openUnlinked, readPart, writeAll } from './file-access.ts';

export type Spool = ReturnType<typeof createSpool>;

export interface SpoolOptions {
  readonly folder: string;
  readonly maxBytesEach: number; // above it, the source waits for the reader
  readonly maxBytesAll: number; // in this process, like the next one
  readonly maxBytesUser: number;
  readonly readerWaitMs?: number; // how long the source waits for its reader
}

/**
 * Buffers bytes between a source and its reader. The source waits for a reader that keeps up; for a slow reader the bytes go to a file,
 * so that a slow reader does not hold a database connection.
 */
export function createSpool(options: SpoolOptions) {
  const { folder, maxBytesEach, maxBytesAll, maxBytesUser, readerWaitMs = 1_000 } = options;
  let used = 0;
  const ofUsers = new Tally();
  const add = (userId: string, bytes: number): void => {
    used += bytes;
    ofUsers.add(userId, bytes);
  };
  const spaceOf = (userId: string): Space => ({
    claim: (bytes, mine) => {
      if (mine + bytes > maxBytesEach || used + bytes > maxBytesAll) return 'all';
      if (ofUsers.of(userId) + bytes > maxBytesUser) return 'user';
      add(userId, bytes);
      return null;
    },
    release: (bytes) => add(userId, -bytes),
  });
  return (userId: string, source: AsyncIterable<Uint8Array>, { wholeFirst }: { wholeFirst: boolean }) =>
    bufferChunks(source[Symbol.asyncIterator](), createSpoolFile(folder, spaceOf(userId)), wholeFirst, readerWaitMs);
}

function bufferChunks(
  source: AsyncIterator<Uint8Array>,
  file: SpoolFile,
  wholeFirst: boolean,
  readerWaitMs: number,
): AsyncIterableIterator<Uint8Array> {
  let memory: Uint8Array[] = []; // sent before the content of the file
  let memoryBytes = 0;
  let pumping: Promise<void> | null = null;
  let state: 'open' | 'complete' | 'abandoned' | { readonly error: unknown } = 'open';
  let changed = Promise.withResolvers<void>();
  const isOpen = (): boolean => state === 'open';

  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };

  /** False if the chunk was not stored, because the reader has to read something first. */
  const store = async (chunk: Uint8Array): Promise<boolean> => {
    if (wholeFirst) {
      const lacking = await file.append(chunk);
      if (lacking !== null) throw new SpaceExhaustedError(lacking);
      return true;
    }
    if (!file.hasUnread()) {
      const isFull = memoryBytes > 0 && memoryBytes + chunk.length > MEMORY_BYTES;
      if (isFull && (await endsWithin(changed.promise, readerWaitMs))) return false;
      if (memoryBytes === 0 || memoryBytes + chunk.length <= MEMORY_BYTES) {
        memory.push(chunk);
        memoryBytes += chunk.length;
        change();
        return true;
      }
    }
    if (!isOpen()) return false;
    if ((await file.append(chunk)) === null) {
      change();
      return true;
    }
    await changed.promise;
    return false;
  };

  /** Never rejects. */
  const pump = async (): Promise<void> => {
    try {
      for (let step = await source.next(); !step.done; step = await source.next()) {
        while (!(await store(step.value))) if (!isOpen()) return;
      }
      if (isOpen()) state = 'complete';
    } catch (error) {
      if (isOpen()) state = { error };
      await source.return?.().catch(() => undefined);
    } finally {
      change();
    }
  };

  const take = async (): Promise<Uint8Array | null> => {
    const chunk = memory.shift() ?? null;
    memoryBytes -= chunk?.length ?? 0;
    const taken = chunk ?? (await file.read());
    if (taken !== null) change();
    return taken;
  };

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      pumping ??= pump();
      if (wholeFirst) await pumping;
      for (;;) {
        const chunk = typeof state === 'object' && wholeFirst ? null : await take();
        if (chunk !== null) return { done: false, value: chunk };
        if (!isOpen()) break;
        await changed.promise;
      }
      await file.close();
      if (typeof state === 'object') throw state.error;
      return { done: true, value: undefined };
    },
    async return() {
      if (isOpen()) state = 'abandoned';
      memory = [];
      change();
      await source.return?.().catch(() => undefined);
      await pumping;
      await file.close();
      return { done: true, value: undefined };
    },
  };
}

interface Space {
  /** The exhausted space; null if the bytes were claimed in addition to `mine`. */
  claim(bytes: number, mine: number): 'all' | 'user' | null;
  release(bytes: number): void;
}

type SpoolFile = ReturnType<typeof createSpoolFile>;

/** Created on the first write and unlinked at once, so that it disappears with the process. */
function createSpoolFile(folder: string, space: Space) {
  let handle: FileHandle | null = null;
  let written = 0;
  let consumed = 0;
  let claimed = 0;
  const hasUnread = (): boolean => consumed < written;
  return {
    hasUnread,
    /** The exhausted space; null if the chunk was written. */
    async append(chunk: Uint8Array): Promise<'all' | 'user' | null> {
      if (!hasUnread()) written = consumed = 0; // reuses the space of bytes that were read
      const more = written + chunk.length - claimed;
      const lacking = more > 0 ? space.claim(more, claimed) : null;
      if (lacking !== null) return lacking;
      claimed += Math.max(0, more);
      await rethrowStorageErrors(async () => writeAll((handle ??= await openUnlinked(folder)), chunk, written));
      written += chunk.length;
      return null;
    },
    /** Null if nothing is left to read. */
    async read(): Promise<Uint8Array | null> {
      if (!hasUnread() || handle === null) return null;
      const file = handle;
      const part = await rethrowStorageErrors(() => readPart(file, consumed, Math.min(written, consumed + READ_BYTES)));
      consumed += part.length;
      return part;
    },
    async close(): Promise<void> {
      const open = handle;
      handle = null;
      written = consumed = 0;
      space.release(claimed);
      claimed = 0;
      await open?.close().catch(() => undefined);
    },
  };
}

const MEMORY_BYTES = 512 << 10;
const READ_BYTES = 256 << 10;
