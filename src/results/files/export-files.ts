import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesBound, SnapshotStorageError, SpaceExhaustedError } from '../snapshot/stop.ts';
import { ifPresent, modifiedAt, readJson, sizeOfFile, writeJson } from './file-access.ts';

/** Finished exports until they are downloaded. Several processes may share the folder. */
export interface ExportFiles {
  /** Rejects if `bytes` rejects or the file cannot be written, and then leaves nothing. Calls `about` after the last byte. */
  write(userId: string, bytes: AsyncIterable<Uint8Array>, about: () => ExportAbout): Promise<ExportFile>;
  find(id: string): Promise<ExportFile | null>;
  /** The bytes from `start` up to but excluding `end`; null if the file is gone. */
  read(file: ExportFile, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** Removes expired files, and leftovers of killed processes. */
  sweep(): Promise<void>;
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

/** A bound was reached before the result was complete; the message is shown to users. */
export class ResultBoundError extends Error {
  override readonly name = 'ResultBoundError';
}

export interface ExportFilesOptions {
  readonly folder: string;
  readonly now: () => number;
  readonly maxBytesEach: number;
  readonly maxBytesAll: number;
  readonly maxBytesUser: number;
  readonly lifetimeMs?: number;
}

/**
 * On disk: `<id>.part` during the write, then `<id>.data`, and `<id>.json` last, which completes the file. An id begins with a digest of
 * its user, so that the space of a user follows from the file names, even while several processes write.
 */
export function createExportFiles(options: ExportFilesOptions): ExportFiles {
  const { folder, now, maxBytesEach, lifetimeMs = 10 * 60_000 } = options;
  const claim = claims(options);
  const at = (id: string, ending: string): string => join(folder, `${id}.${ending}`);
  const remove = (id: string): Promise<unknown> =>
    Promise.all(['json', 'data', 'part'].map((ending) => rm(at(id, ending), { force: true })));

  async function writePart(bytes: AsyncIterable<Uint8Array>, id: string): Promise<number> {
    const file = await stored(() => open(at(id, 'part'), 'wx', 0o600));
    const space = claim(id);
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > maxBytesEach) throw new ResultBoundError(bytesBound(maxBytesEach));
        await space.reach(size);
        await stored(() => file.writeFile(chunk));
      }
    } finally {
      space.release();
      await file.close();
    }
    return size;
  }

  return {
    async write(userId, bytes, about) {
      const id = `${digestOf(userId)}${randomBytes(8).toString('hex')}`;
      try {
        const size = await writePart(bytes, id);
        const file: ExportFile = { ...about(), id, size, expiresAt: now() + lifetimeMs };
        await stored(async () => {
          await rename(at(id, 'part'), at(id, 'data'));
          await writeJson(at(id, 'json'), file);
        });
        return file;
      } catch (error) {
        await remove(id).catch(() => undefined); // the sweeper removes leftovers
        throw error;
      }
    },

    find: async (id) => (isId(id) ? readJson<ExportFile>(at(id, 'json')) : null),

    async read(file, start, end) {
      const handle = await ifPresent(() => open(at(file.id, 'data'), 'r'));
      if (handle === null) return null;
      if ((await handle.stat()).size === file.size) return partOf(handle, start, end);
      await handle.close();
      return null;
    },

    async sweep() {
      for (const name of await readdir(folder)) {
        const [, id, ending] = /^([0-9a-f]{32})\.(json|data|part|json\.[0-9a-f]+)$/.exec(name) ?? [];
        if (id === undefined || ending === undefined) continue;
        if (ending === 'json') {
          const file = await readJson<ExportFile>(at(id, ending));
          if (file === null || file.expiresAt <= now()) await remove(id);
        } else if (
          now() - ((await modifiedAt(join(folder, name))) ?? 0) > LEFT_BEHIND_MS &&
          (await readJson<ExportFile>(at(id, 'json'))) === null
        ) {
          await rm(join(folder, name), { force: true });
        }
      }
    },
  };
}

const SMALLEST_CLAIM = 64 << 10;
const LEFT_BEHIND_MS = 15 * 60_000; // longer than any query pauses between rows
const READ_BYTES = 256 << 10;

const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

async function* partOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at < end;) {
      const wanted = Math.min(READ_BYTES, end - at);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, at);
      if (bytesRead === 0) throw new SnapshotStorageError(new Error('an export file became shorter'));
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new SnapshotStorageError(error);
  }
}

/** Space is claimed before it is written; files of this process count by their claim, others by their size on disk. */
function claims({ folder, maxBytesAll, maxBytesUser }: ExportFilesOptions) {
  const step = Math.max(SMALLEST_CLAIM, Math.floor(Math.min(maxBytesAll, maxBytesUser) / 64));
  const claimed = new Map<string, number>(); // by id
  const sizeOf = ({ id, name }: { id: string; name: string }): number | Promise<number> =>
    claimed.get(id) ?? sizeOfFile(join(folder, name));

  async function check(id: string): Promise<void> {
    const files = (await readdir(folder)).flatMap((name) => {
      const [, found] = /^([0-9a-f]{32})\.(?:data|part)$/.exec(name) ?? [];
      return found === undefined ? [] : [{ id: found, name }];
    });
    const sizes = await Promise.all(files.map(sizeOf));
    const sum = (isCounted: (of: string) => boolean): number =>
      files.reduce((bytes, file, index) => bytes + (isCounted(file.id) ? (sizes[index] ?? 0) : 0), 0);
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
