import { createHash, randomBytes } from 'node:crypto';
import { FailureError } from '../../core/errors.ts';
import { fileBound, SnapshotStorageError, SpaceExhaustedError } from '../snapshot/stop.ts';

/** Finished exports until they are downloaded. Several processes may share the storage. */
export interface ExportFiles {
  /** Rejects if `bytes` rejects or the file cannot be written, and then leaves nothing. Calls `about` after the last byte. */
  write(userId: string, bytes: AsyncIterable<Uint8Array>, about: () => ExportAbout): Promise<ExportFile>;
  find(id: string): Promise<ExportFile | null>;
  /** The bytes from `start` up to but excluding `end`; null if the file is gone. */
  read(file: ExportFile, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** Returns an address from which anyone can download the file for a minute; null if the storage has none. */
  readonly link: ((file: ExportFile) => Promise<string>) | null;
  /** Removes expired files, and leftovers of killed processes. */
  sweep(): Promise<void>;
}

/** Where exports are kept. A file is complete when its description is stored. */
export interface ExportStorage {
  /** Content that arrives in pieces. */
  create(id: string): Promise<ExportWriter>;
  describe(file: ExportFile): Promise<void>;
  find(id: string): Promise<ExportFile | null>;
  /** Null if the content is missing or does not have the size of the file. */
  read(file: ExportFile, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
  readonly link: ExportFiles['link'];
  list(): Promise<readonly ListedExport[]>;
  remove(id: string): Promise<void>;
}

export interface ExportWriter {
  append(bytes: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  /** Removes the file after a failure; never rejects. */
  abort(): Promise<void>;
}

export interface ListedExport {
  readonly id: string;
  readonly bytes: number;
  readonly changedAt: number;
  readonly isComplete: boolean;
}

export interface ExportAbout {
  readonly userId: string;
  readonly keyId: string | null; // the API key of the call
  readonly forAssistant: boolean; // requested over the AI gateway
  readonly queryName: string;
  readonly queryVersion: number;
  readonly parameters: Readonly<Record<string, unknown>> | null; // as in the audit trail
  readonly format: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly rowCount: number;
}

export interface ExportFile extends ExportAbout {
  readonly id: string;
  readonly size: number;
  readonly expiresAt: number;
}

export interface ExportFilesOptions {
  readonly storage: ExportStorage;
  readonly now: () => number;
  readonly maxBytesEach: number;
  readonly maxBytesAll: number;
  readonly maxBytesUser: number;
  readonly lifetimeMs?: number;
}

/** An id begins with a digest of its user, so that a listing tells the space of each user, even while several processes write. */
export function createExportFiles(options: ExportFilesOptions): ExportFiles {
  const { storage, now, maxBytesEach, lifetimeMs = 10 * 60_000 } = options;
  const claim = claims(options);

  async function writeContent(bytes: AsyncIterable<Uint8Array>, id: string): Promise<number> {
    const writer = await rethrowStorageErrors(() => storage.create(id));
    const space = claim(id);
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > maxBytesEach) throw new FailureError({ kind: 'SnapshotIncomplete', reason: fileBound(maxBytesEach) });
        await space.reach(size);
        await rethrowStorageErrors(() => writer.append(chunk));
      }
      await rethrowStorageErrors(() => writer.complete());
    } catch (error) {
      await writer.abort();
      throw error;
    } finally {
      space.release();
    }
    return size;
  }

  return {
    async write(userId, bytes, about) {
      const id = `${digestOf(userId)}${randomBytes(8).toString('hex')}`;
      try {
        const size = await writeContent(bytes, id);
        const file: ExportFile = { ...about(), id, size, expiresAt: now() + lifetimeMs };
        await rethrowStorageErrors(() => storage.describe(file));
        return file;
      } catch (error) {
        await storage.remove(id).catch(() => undefined); // the sweeper removes leftovers
        throw error;
      }
    },
    find: async (id) => (isExportId(id) ? storage.find(id) : null),
    read: storage.read,
    link: storage.link,
    async sweep() {
      for (const { id, changedAt, isComplete } of await storage.list()) {
        const file = isComplete ? await storage.find(id) : null;
        const isLeft = file === null && (isComplete || now() - changedAt > LEFT_BEHIND_MS);
        if (isLeft || (file !== null && file.expiresAt <= now())) await storage.remove(id);
      }
    },
  };
}

export const isExportId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

const SMALLEST_CLAIM = 64 << 10;
const LEFT_BEHIND_MS = 15 * 60_000; // longer than any query pauses between rows

async function rethrowStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SnapshotStorageError(error);
  }
}

/** Space is claimed before it is written; files of this process count by their claim, others by their stored size. */
function claims({ storage, maxBytesAll, maxBytesUser }: ExportFilesOptions) {
  const step = Math.max(SMALLEST_CLAIM, Math.floor(Math.min(maxBytesAll, maxBytesUser) / 64));
  const claimed = new Map<string, number>(); // by id

  async function check(id: string): Promise<void> {
    const sizes = new Map((await storage.list()).map((file) => [file.id, file.bytes]));
    for (const [each, bytes] of claimed) sizes.set(each, bytes);
    const sum = (isCounted: (of: string) => boolean): number =>
      [...sizes].reduce((total, [each, bytes]) => total + (isCounted(each) ? bytes : 0), 0);
    if (sum((each) => userOf(each) === userOf(id)) > maxBytesUser) throw new SpaceExhaustedError('user');
    if (sum(() => true) > maxBytesAll) throw new SpaceExhaustedError();
  }

  return (id: string) => ({
    async reach(size: number): Promise<void> {
      if (size <= (claimed.get(id) ?? 0)) return;
      claimed.set(id, size + step);
      await check(id).catch((error: unknown) => {
        throw error instanceof SpaceExhaustedError ? error : new SnapshotStorageError(error);
      });
    },
    release: () => claimed.delete(id),
  });
}

const digestOf = (userId: string): string => createHash('sha256').update(userId).digest('hex').slice(0, 16);
const userOf = (id: string): string => id.slice(0, 16);
