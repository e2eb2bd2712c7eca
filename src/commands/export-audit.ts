import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AuditFormat, createAuditTrail } from '../administration/audit-trail.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { commandEntry } from '../operations/command-entry.ts';
import { appendTo, writeWhole } from '../operations/whole-file.ts';
import { withStore } from './command-store.ts';

const formats: Readonly<Record<string, AuditFormat>> = { '.csv': 'csv', '.ndjson': 'ndjson' };

/** Writes the whole audit trail, newest first, to a new file. The export itself is audited first. */
export async function exportAudit(config: Config, file: string): Promise<void> {
  const format = formats[extname(file)];
  if (format === undefined) throw new ConfigError(`the file name must end in ${Object.keys(formats).join(' or ')}: ${file}`);
  await withStore(config, async (store) => {
    await store.audit.append([commandEntry('audit.export', { format })]);
    const pieces = await createAuditTrail({ store, now: Date.now }).export({}, format);
    if (!pieces.ok) throw new ConfigError('the metadata store is not available; try again');
    const bytes = await writeWhole(file, { replaces: false }, async (handle, signal) => {
      await pipeline(Readable.from(pieces.value), appendTo(handle), { signal });
      return (await handle.stat()).size;
    });
    process.stdout.write(`The audit trail was written to ${file} (${bytes} bytes).\n`);
  });
}
