import { randomBytes } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SnapshotStorageError, SpaceExhaustedError } from '../snapshot/stop.ts';
import { writeAll } from './file-access.ts';

/**
 * Buffers bytes between a source and its reader. The source waits for a reader that keeps up; for a slow reader the bytes go to a file,
 * so that a slow reader does not hold a database connection.
 */
export interface Spools {
  spool(userId: string, source: AsyncIterable<Uint8Array>, options: { wholeFirst: boolean }): AsyncIterableIterator<Uint8Array>;
}

export interface SpoolsOptions {
  readonly folder: string;
  readonly maxBytesEach: number; // above it, the source waits for the reader
  readonly maxBytesAll: number; // in this process, like the next one
  readonly maxBytesUser: number;
  readonly readerWaitMs?: number; // how long the source waits for its reader
}

export function createSpools(options: SpoolsOptions): Spools {
  const { folder, maxBytesEach, maxBytesAll, maxBytesUser, readerWaitMs = 1_000 } = options;
  let used = 0;
  const ofUsers = new Map<string, number>();
  const add = (userId: string, bytes: number): void => {
    used += bytes;
    const ofUser = (ofUsers.get(userId) ?? 0) + bytes;
    if (ofUser === 0) ofUsers.delete(userId);
    else ofUsers.set(userId, ofUser);
  };
  const spaceOf = (userId: string): Space => ({
    claim: (bytes, mine) => {
      if (mine + bytes > maxBytesEach || used + bytes > maxBytesAll) return 'all';
      if ((ofUsers.get(userId) ?? 0) + bytes > maxBytesUser) return 'user';
      add(userId, bytes);
      return null;
    },
    release: (bytes) => add(userId, -bytes),
  });
  return {
    spool: (userId, source, { wholeFirst }) =>
      new Spool(source[Symbol.asyncIterator](), new SpoolFile(folder, spaceOf(userId)), wholeFirst, readerWaitMs),
  };
}

class Spool implements AsyncIterableIterator<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #file: SpoolFile;
  readonly #wholeFirst: boolean;
  readonly #readerWaitMs: number;
  #memory: Uint8Array[] = []; // sent before the content of the file
  #memoryBytes = 0;
  #pumping: Promise<void> | null = null;
  #state: 'open' | 'complete' | 'abandoned' | { readonly error: unknown } = 'open';
  #changed = Promise.withResolvers<void>();

  constructor(source: AsyncIterator<Uint8Array>, file: SpoolFile, wholeFirst: boolean, readerWaitMs: number) {
    this.#source = source;
    this.#file = file;
    this.#wholeFirst = wholeFirst;
    this.#readerWaitMs = readerWaitMs;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#pumping ??= this.#pump();
    if (this.#wholeFirst) await this.#pumping;
    for (;;) {
      const chunk = typeof this.#state === 'object' && this.#wholeFirst ? null : await this.#take();
      if (chunk !== null) return { done: false, value: chunk };
      if (this.#state === 'open') await this.#changed.promise;
      else break;
    }
    await this.#file.close();
    if (typeof this.#state === 'object') throw this.#state.error;
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    if (this.#state === 'open') this.#state = 'abandoned';
    this.#memory = [];
    this.#change();
    await this.#source.return?.().catch(() => undefined);
    await this.#pumping;
    await this.#file.close();
    return { done: true, value: undefined };
  }

  async #take(): Promise<Uint8Array | null> {
    const chunk = this.#memory.shift();
    if (chunk === undefined) {
      const read = await this.#file.read();
      if (read !== null) this.#change();
      return read;
    }
    this.#memoryBytes -= chunk.length;
    this.#change();
    return chunk;
  }

  /** Never rejects. */
  async #pump(): Promise<void> {
    try {
      for (;;) {
        const step = await this.#source.next();
        if (step.done) break;
        while (!(await this.#store(step.value))) if (this.#state !== 'open') return;
      }
      if (this.#state === 'open') this.#state = 'complete';
    } catch (error) {
      if (this.#state === 'open') this.#state = { error };
      await this.#source.return?.().catch(() => undefined);
    } finally {
      this.#change();
    }
  }

  /** False if the reader has to read something first. */
  async #store(chunk: Uint8Array): Promise<boolean> {
    if (this.#wholeFirst) {
      const lacking = await this.#file.append(chunk);
      if (lacking !== null) throw new SpaceExhaustedError(lacking);
      return true;
    }
    if (!this.#file.hasUnread) {
      if (this.#memoryBytes > 0 && this.#memoryBytes + chunk.length > MEMORY_BYTES && (await this.#waitForChange())) return false;
      if (this.#memoryBytes === 0 || this.#memoryBytes + chunk.length <= MEMORY_BYTES) {
        this.#memory.push(chunk);
        this.#memoryBytes += chunk.length;
        this.#change();
        return true;
      }
    }
    if (this.#state !== 'open') return false;
    if ((await this.#file.append(chunk)) === null) {
      this.#change();
      return true;
    }
    await this.#changed.promise;
    return false;
  }

  /** True if something changed before the source stops waiting for the reader. */
  #waitForChange(): Promise<boolean> {
    const { promise } = this.#changed;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#readerWaitMs);
      promise.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

interface Space {
  /** The exhausted space; null if the bytes were claimed in addition to `mine`. */
  claim(bytes: number, mine: number): 'all' | 'user' | null;
  release(bytes: number): void;
}

/** Created on the first write and unlinked at once, so that it disappears with the process. */
class SpoolFile {
  readonly #folder: string;
  readonly #space: Space;
  #handle: FileHandle | null = null;
  #written = 0;
  #consumed = 0;
  #claimed = 0;

  constructor(folder: string, space: Space) {
    this.#folder = folder;
    this.#space = space;
  }

  get hasUnread(): boolean {
    return this.#consumed < this.#written;
  }

  /** The exhausted space; null if the chunk was written. */
  async append(chunk: Uint8Array): Promise<'all' | 'user' | null> {
    if (!this.hasUnread) this.#written = this.#consumed = 0; // reuses the space of bytes that were read
    const more = this.#written + chunk.length - this.#claimed;
    const lacking = more > 0 ? this.#space.claim(more, this.#claimed) : null;
    if (lacking !== null) return lacking;
    this.#claimed += Math.max(0, more);
    try {
      this.#handle ??= await openUnlinked(this.#folder);
      await writeAll(this.#handle, chunk, this.#written);
    } catch (error) {
      throw new SnapshotStorageError(error);
    }
    this.#written += chunk.length;
    return null;
  }

  /** Null if nothing is left to read. */
  async read(): Promise<Uint8Array | null> {
    const handle = this.#handle;
    if (!this.hasUnread || handle === null) return null;
    const wanted = Math.min(READ_BYTES, this.#written - this.#consumed);
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafeSlow(wanted), 0, wanted, this.#consumed)
      .catch(storageError);
    if (bytesRead === 0) throw new SnapshotStorageError(new Error('a spool file is shorter than what was written to it'));
    this.#consumed += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    this.#written = this.#consumed = 0;
    this.#space.release(this.#claimed);
    this.#claimed = 0;
    await handle?.close().catch(() => undefined);
  }
}

const MEMORY_BYTES = 512 << 10;
const READ_BYTES = 256 << 10;

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `spool-${randomBytes(12).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

function storageError(error: unknown): never {
  throw new SnapshotStorageError(error);
}
