import { attachment } from '../../file-name.ts';
import { type ExportFile, type ExportStorage, isExportId, type ListedExport } from '../../files/export-files.ts';
import type { Bucket } from './bucket.ts';

export interface S3ExportsOptions {
  readonly bucket: Bucket;
  readonly redirect: boolean; // downloads may go to the store directly
}

/** `exports/<id>/data`, one object that is uploaded in parts, and `exports/<id>/file.json`, which completes it. */
export function createS3Exports({ bucket, redirect }: S3ExportsOptions): ExportStorage {
  const data = (id: string) => `exports/${id}/data`;
  const description = (id: string) => `exports/${id}/file.json`;
  return {
    create: (id) => Promise.resolve(bucket.upload(data(id))),
    describe: (file) => bucket.put(description(file.id), JSON.stringify(file)),
    async find(id) {
      const found = await bucket.get(description(id));
      return found === null ? null : (JSON.parse(found.body.toString()) as ExportFile);
    },
    read: ({ id, size }, start, end) => bucket.stream(data(id), size, start, end),
    link: redirect
      ? ({ id, fileName, mimeType }) =>
          bucket.signUrl(data(id), LINK_SECONDS, { type: mimeType, disposition: attachment(fileName) })
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
