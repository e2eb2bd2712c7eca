import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportFile, type ExportStorage, isExportId, type ListedExport } from '../files/export-files.ts';
import { nullIfMissing, readModifiedAt, readJson, sizeOfFile, writeJson } from '../files/file-access.ts';
import { SnapshotStorageError } from '../snapshot/stop.ts';

/** In one folder: `<id>.part` during the write, then `<id>.data`, and `<id>.json` last, which completes the file. */
export function createDiskExports(folder: string): ExportStorage {
  const pathOf = (id: string, ending: string): string => join(folder, `${id}.${ending}`);
  return {
    async create(id) {
      const file = await open(pathOf(id, 'part'), 'wx', 0o600);
      return {
        append: (bytes) => file.writeFile(bytes),
        async complete() {
          await file.close();
          await rename(pathOf(id, 'part'), pathOf(id, 'data'));
        },
        abort: () => file.close().catch(() => undefined),
      };
    },
    describe: (file) => writeJson(pathOf(file.id, 'json'), file),
    find: (id) => readJson<ExportFile>(pathOf(id, 'json')),
    async read({ id, size }, start, end) {
      const handle = await nullIfMissing(() => open(pathOf(id, 'data'), 'r'));
      if (handle === null) return null;
      if ((await handle.stat()).size === size) return partOf(handle, start, end);
      await handle.close();
      return null;
    },
    link: null,
    async list() {
      const found = new Map<string, ListedExport>();
      for (const name of await readdir(folder)) {
        const [id = '', ending] = [name.slice(0, 32), name.slice(33)];
        if (!isExportId(id) || !/^(json|data|part|json\.[0-9a-f]+)$/.test(ending ?? '')) continue;
        const before = found.get(id);
        const isContent = ending === 'data' || ending === 'part';
        found.set(id, {
          id,
          bytes: isContent ? await sizeOfFile(join(folder, name)) : (before?.bytes ?? 0),
          changedAt: Math.max(before?.changedAt ?? 0, (await readModifiedAt(join(folder, name))) ?? 0),
          isComplete: before?.isComplete === true || ending === 'json',
        });
      }
      return [...found.values()];
    },
    async remove(id) {
      const names = (await readdir(folder)).filter((name) => name.startsWith(`${id}.`));
      await Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
    },
  };
}

const READ_BYTES = 256 << 10;

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
