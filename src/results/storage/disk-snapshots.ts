import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing, readJson, readModifiedAt, sizeOfFile, writeAll, writeJson } from '../files/file-access.ts';
import {
  abandonedMark,
  type DrainOwner,
  type EndMark,
  hasEnded,
  isManifest,
  isSharedMark,
  isSnapshotId,
  type Manifest,
  offsetBytes,
  type SharedMark,
  type SnapshotStorage,
  type SnapshotWriter,
  type StoredRows,
  thisProcess,
  type WantedRows,
} from './snapshot-storage.ts';

/**
 * A folder for each snapshot: `rows`, `offsets` (written after the rows), `manifest.json`, `drain.json` (the process that fills it; its
 * mtime is the heartbeat), `end.json`, `used` (the user whose space it takes; its mtime is the last use), `wanted.json` (the demand of
 * readers in other processes). Beside them `shared-<key>` refers to the snapshot that identical calls share.
 */
export function createDiskSnapshots({ folder, now }: { folder: string; now: () => number }): SnapshotStorage {
  const pathOf = (id: string, name: string) => join(folder, id, name);
  const markFile = (key: string) => join(folder, `${sharedPrefix}${key}`);

  async function manifest(id: string): Promise<Manifest | null> {
    const read = await readJson<Manifest>(pathOf(id, 'manifest.json'));
    return isManifest(read) ? read : null;
  }

  /** Renames the folder first, so that a reader finds the whole snapshot or none. */
  async function remove(id: string): Promise<void> {
    const trash = join(folder, `${trashPrefix}${id}-${randomBytes(4).toString('hex')}`);
    await nullIfMissing(() => rename(join(folder, id), trash));
    await rm(trash, { recursive: true, force: true });
  }

  async function removeRows(id: string): Promise<void> {
    await writeJson(pathOf(id, 'end.json'), abandonedMark);
    await Promise.all(['rows', 'offsets'].map((name) => rm(pathOf(id, name), { force: true })));
  }

  async function isAlive(id: string): Promise<boolean> {
    const beatAt = await readModifiedAt(pathOf(id, 'drain.json'));
    if (beatAt === null || now() - beatAt > heartbeat.deadAfterMs) return false;
    const owner = await readJson<DrainOwner>(pathOf(id, 'drain.json'));
    return owner !== null && !hasEnded(owner);
  }

  async function readSharedMark(key: string): Promise<SharedMark | null> {
    const mark = await readJson<SharedMark>(markFile(key));
    return isSharedMark(mark) ? mark : null;
  }

  return {
    async create(id, userId) {
      const beat = () => setTime(pathOf(id, 'drain.json'), now());
      const heart = setInterval(() => beat().catch(() => undefined), heartbeat.everyMs).unref();
      const stop = () => clearInterval(heart);
      const discard = () => remove(id).catch(() => undefined); // the sweeper removes leftovers
      try {
        await mkdir(join(folder, id), { recursive: true, mode: 0o700 });
        await Promise.all([
          writeFile(pathOf(id, 'drain.json'), JSON.stringify(thisProcess()), { mode: 0o600 }),
          writeFile(pathOf(id, 'used'), userId, { mode: 0o600 }),
        ]);
        await Promise.all([beat(), setTime(pathOf(id, 'used'), now())]);
      } catch (error) {
        stop();
        await discard();
        throw error;
      }
      const rows = new RowFiles(pathOf(id, 'rows'), pathOf(id, 'offsets'));
      const end = async (write: () => Promise<void>): Promise<void> => {
        await rows.close();
        // a drain without an owner counts as dead
        await write().catch(() => unlink(pathOf(id, 'drain.json')).catch(() => undefined));
        stop();
      };
      const writer: SnapshotWriter = {
        id,
        get storedRows() {
          return rows.count;
        },
        writeManifest: (content) => writeJson(pathOf(id, 'manifest.json'), content),
        append: (bytes, offsets) => rows.append(bytes, offsets),
        settle: () => Promise.resolve(),
        end: (mark) => end(() => writeJson(pathOf(id, 'end.json'), mark)),
        abandon: () => end(() => removeRows(id)),
        async discard() {
          stop();
          await rows.close();
          await discard();
        },
      };
      return writer;
    },
    manifest,
    async progress(id, isFilledHere) {
      const end = () => readJson<EndMark>(pathOf(id, 'end.json'));
      const marked = await end();
      if (marked) return marked;
      if (isFilledHere || (await isAlive(id))) return 'running';
      return (await end()) ?? 'dead'; // it may have ended properly since
    },
    open: (id) => openRows(pathOf(id, 'rows'), pathOf(id, 'offsets')),
    async readLastUse({ id, createdAt }) {
      const usedAt = (await readModifiedAt(pathOf(id, 'used'))) ?? createdAt;
      return { at: usedAt, isFollowed: usedAt >= createdAt + 0.5 }; // file times are not exact
    },
    async markUsed({ id, createdAt }, usedAt) {
      await nullIfMissing(() => setTime(pathOf(id, 'used'), Math.max(usedAt, createdAt + 1)));
    },
    writeWanted: (id, wanted) =>
      writeJson(pathOf(id, 'wanted.json'), { ...wanted, mark: randomBytes(8).toString('hex') } satisfies WantedRows),
    readWanted: (id) => readJson<WantedRows>(pathOf(id, 'wanted.json')),
    async list() {
      const ids = ((await nullIfMissing(() => readdir(folder))) ?? []).filter(isSnapshotId);
      const listed = [];
      for (const id of ids) {
        const usedAt = (await readModifiedAt(pathOf(id, 'used'))) ?? (await readModifiedAt(join(folder, id))) ?? now();
        const userId = (await nullIfMissing(() => readFile(pathOf(id, 'used'), 'utf8'))) ?? '';
        const [rows, offsets] = await Promise.all([sizeOfFile(pathOf(id, 'rows')), sizeOfFile(pathOf(id, 'offsets'))]);
        listed.push({ id, userId, usedAt, bytes: rows + offsets });
      }
      return listed;
    },
    remove,
    removeRows,
    readSharedMark,
    writeSharedMark: (key, mark) => writeJson(markFile(key), mark),
    async removeLeftovers() {
      for (const name of (await nullIfMissing(() => readdir(folder))) ?? []) {
        if (name.startsWith(trashPrefix)) await rm(join(folder, name), { recursive: true, force: true });
        if (!name.startsWith(sharedPrefix)) continue;
        const mark = await readSharedMark(name.slice(sharedPrefix.length));
        if (mark === null || (await manifest(mark.id)) === null) await rm(join(folder, name), { force: true });
      }
    },
  };
}

const heartbeat = { everyMs: 2_000, deadAfterMs: 15_000 }; // the clocks of two machines may differ by seconds
const trashPrefix = 'removed-';
const sharedPrefix = 'shared-';

const setTime = (path: string, now: number) => utimes(path, now / 1000, now / 1000);

/** The files are created by the first append. */
class RowFiles {
  count = 0;
  readonly #rows: string;
  readonly #offsets: string;
  #bytes = 0;
  #files: { readonly rows: FileHandle; readonly offsets: FileHandle } | null = null;

  constructor(rows: string, offsets: string) {
    this.#rows = rows;
    this.#offsets = offsets;
  }

  /** Writes rows before offsets, so that every offset points to existing bytes. Positions are explicit, so it can be repeated. */
  async append(rows: Buffer, offsets: Buffer): Promise<void> {
    this.#files ??= await this.#open();
    await writeAll(this.#files.rows, rows, this.#bytes);
    await writeAll(this.#files.offsets, offsets, this.count * offsetBytes);
    this.#bytes += rows.length;
    this.count += offsets.length / offsetBytes;
  }

  async close(): Promise<void> {
    const files = this.#files;
    await Promise.all([files?.rows.close(), files?.offsets.close()]).catch(() => undefined);
  }

  async #open() {
    const rows = await open(this.#rows, 'wx', 0o600);
    try {
      return { rows, offsets: await open(this.#offsets, 'wx', 0o600) };
    } catch (error) {
      await rows.close();
      throw error;
    }
  }
}

async function openRows(rowsPath: string, offsetsPath: string): Promise<StoredRows | null> {
  await using opened = new AsyncDisposableStack();
  const offsets = opened.use(await nullIfMissing(() => open(offsetsPath, 'r')));
  const rows = opened.use(await nullIfMissing(() => open(rowsPath, 'r')));
  if (!offsets || !rows) return null;
  // in this order, because rows are written before their offsets
  const rowCount = Math.floor((await offsets.stat()).size / offsetBytes);
  const byteCount = (await rows.stat()).size;
  const files = opened.move();
  return {
    rowCount,
    byteCount,
    offsets: (from, until) => readRange(offsets, from * offsetBytes, until * offsetBytes),
    rows: (start, end) => readRange(rows, start, end),
    [Symbol.asyncDispose]: () => files.disposeAsync(),
  };
}

/** Returns fewer bytes if the file is shorter. */
async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
