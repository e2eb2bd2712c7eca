import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExportFile, type ExportStorage, isExportId, type ListedExport } from '../files/export-files.ts';
import { nullIfMissing, readJson, readPart, writeAll, writeJson } from '../files/file-access.ts';

/** In one folder: `<id>.part` during the write, then `<id>.data`, and `<id>.json` last, which completes the file. */
export function createDiskExports(folder: string): ExportStorage {
  const pathOf = (id: string, ending: string): string => join(folder, `${id}.${ending}`);
  return {
    async create(id) {
      const file = await open(pathOf(id, 'part'), 'wx+', 0o600);
      const close = () => file.close().catch(() => undefined);
      let size = 0;
      return {
        async append(bytes) {
          await writeAll(file, bytes, size);
          size += bytes.length;
        },
        read: (start, end) => readPart(file, start, end),
        complete: () => rename(pathOf(id, 'part'), pathOf(id, 'data')),
        close,
        abort: close,
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
      const names = (await readdir(folder)).filter((name) => isExportId(name.slice(0, 32)) && endings.test(name.slice(32)));
      const stats = await Promise.all(names.map((name) => nullIfMissing(() => stat(join(folder, name)))));
      for (const [index, name] of names.entries()) {
        const [id, ending] = [name.slice(0, 32), name.slice(33)];
        const before = found.get(id);
        const isContent = ending === 'data' || ending === 'part';
        found.set(id, {
          id,
          bytes: isContent ? (stats[index]?.size ?? 0) : (before?.bytes ?? 0),
          changedAt: Math.max(before?.changedAt ?? 0, stats[index]?.mtimeMs ?? 0),
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

const endings = /^\.(json|data|part|json\.[0-9a-f]+)$/;
const READ_BYTES = 256 << 10;

async function* partOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at < end;) {
      const part = await readPart(handle, at, Math.min(end, at + READ_BYTES));
      at += part.length;
      yield part;
    }
  } finally {
    await handle.close();
  }
}
