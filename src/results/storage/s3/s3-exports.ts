import type { FileHandle } from 'node:fs/promises';
import { dispositionOf } from '../../file-name.ts';
import {
  type ExportFile,
  type ExportStorage,
  type ExportWriter,
  isExportId,
  type ListedExport,
} from '../../files/export-files.ts';
import { openUnlinked, parseWhole, readPart, writeAll } from '../../files/file-access.ts';
import type { Bucket, ObjectUpload } from './bucket.ts';

export interface S3ExportsOptions {
  readonly bucket: Bucket;
  readonly redirect: boolean; // downloads may go to the store directly
  readonly scratch: string; // a folder for content that is read while it is uploaded
}

/** `exports/<id>/data`, one object that is uploaded in parts, and `exports/<id>/file.json`, which completes it. */
export function createS3Exports({ bucket, redirect, scratch }: S3ExportsOptions): ExportStorage {
  const data = (id: string) => `exports/${id}/data`;
  const description = (id: string) => `exports/${id}/file.json`;
  return {
    create: async (id, isRead) => {
      const upload = bucket.upload(data(id));
      if (isRead) return createReadableUpload(upload, await openUnlinked(scratch));
      return { ...upload, read: () => Promise.reject(notReadable), close: async () => undefined };
    },
    describe: (file) => bucket.put(description(file.id), JSON.stringify(file)),
    find: async (id) => parseWhole<ExportFile>((await bucket.get(description(id)))?.body.toString() ?? null),
    read: ({ id, size }, start, end) => bucket.stream(data(id), size, start, end),
    link: redirect
      ? ({ id, fileName, mimeType }) =>
          bucket.signUrl(data(id), LINK_SECONDS, { type: mimeType, disposition: dispositionOf('attachment', fileName) })
      : null,
    async list() {
      const found = new Map<string, ListedExport>();
      for (const { key, bytes, modifiedAt } of await bucket.list('exports/')) {
        const [, id = '', name] = key.split('/');
        if (!isExportId(id)) continue;
        const before = found.get(id);
        found.set(id, {
          id,
          bytes: (before?.bytes ?? 0) + bytes,
          changedAt: Math.max(before?.changedAt ?? 0, modifiedAt),
          isComplete: before?.isComplete === true || name === 'file.json',
        });
      }
      return [...found.values()];
    },
    remove: (id) => bucket.remove([description(id), data(id)]),
  };
}

const LINK_SECONDS = 60;
const notReadable = new Error('The upload was not created to be read.');

/** An upload becomes visible when it is complete; until then its content is read from a local file. */
function createReadableUpload(upload: ObjectUpload, file: FileHandle): ExportWriter {
  let size = 0;
  const close = () => file.close().catch(() => undefined); // it has no name any more
  return {
    async append(bytes) {
      await writeAll(file, bytes, size);
      size += bytes.length;
      await upload.append(bytes);
    },
    read: (start, end) => readPart(file, start, end),
    complete: upload.complete,
    close,
    async abort() {
      await upload.abort();
      await close();
    },
  };
}
