import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import type { CopiedRow } from '../store/metadata-copy.ts';

/**
 * A backup is compressed NDJSON: a header, the rows, their count. With a passphrase it is encrypted and includes the secret of
 * the installation; without one it does not, and sealed values stay sealed.
 */
export const backupHeader = z.object({
  sluice: z.string(), // the version that wrote it
  format: z.literal(1),
  takenAt: z.string(),
  migrations: z.array(z.string()),
  secretMark: z.string(), // identifies the secret without revealing it
  secrets: z.array(z.string()).optional(), // newest first
});
export type BackupHeader = z.infer<typeof backupHeader>;

export interface OpenedBackup {
  readonly header: BackupHeader;
  /** Throws unless the backup is complete and unaltered. */
  rows(): AsyncIterable<CopiedRow>;
}

const MAGIC = Buffer.from('sluice-backup-1\n'); // of encrypted backups; others begin with the gzip header
const SALT = 16;
const NONCE = 12;
const TAG = 16;

/** Writes to a temporary file and renames it, so that the named file is always complete. Returns the number of rows. */
export async function writeBackup(
  file: string,
  header: BackupHeader,
  rows: AsyncIterable<CopiedRow>,
  passphrase: string | null,
): Promise<number> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  const count = { rows: 0 };
  try {
    const into = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) await handle.writeFile(chunk);
    };
    const lines = Readable.from(linesOf(header, rows, count));
    if (passphrase === null) {
      await pipeline(lines, createGzip(), into);
    } else {
      const salt = randomBytes(SALT);
      const nonce = randomBytes(NONCE);
      await handle.write(Buffer.concat([MAGIC, salt, nonce]));
      const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce);
      await pipeline(lines, createGzip(), cipher, into);
      await handle.write(cipher.getAuthTag());
    }
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    return count.rows;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

export async function openBackup(file: string, passphrase: string | null): Promise<OpenedBackup> {
  const lines = linesIn(file, passphrase);
  const first = await lines.next();
  const header = backupHeader.safeParse(first.done === true ? null : first.value);
  if (!header.success) throw new ConfigError(`${file} is not a backup of Sluice, or this version cannot read it`);
  return { header: header.data, rows: () => rowsIn(file, lines) };
}

async function* linesOf(header: BackupHeader, rows: AsyncIterable<CopiedRow>, count: { rows: number }): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const { table, row } of rows) {
    count.rows += 1;
    yield `${JSON.stringify([table, row])}\n`;
  }
  yield `${JSON.stringify({ rows: count.rows })}\n`;
}

const copiedRow = z.tuple([z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.null()]))]);
const footer = z.object({ rows: z.number() });

async function* rowsIn(file: string, lines: AsyncIterator<unknown>): AsyncGenerator<CopiedRow> {
  let count = 0;
  let isWhole = false;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const read = copiedRow.safeParse(line.value);
    if (read.success && !isWhole) {
      count += 1;
      yield { table: read.data[0], row: read.data[1] };
      continue;
    }
    const end = footer.safeParse(line.value);
    if (!end.success || isWhole || end.data.rows !== count) throw damaged(file);
    isWhole = true;
  }
  if (!isWhole) throw damaged(file);
}

async function* linesIn(file: string, passphrase: string | null): AsyncGenerator<unknown, undefined> {
  const plain = new PassThrough();
  const done = pipeline([...(await bytesOf(file, passphrase)), createGunzip(), plain]).catch((error: unknown) => {
    plain.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const line of createInterface({ input: plain, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line);
    await done;
    if (plain.errored !== null) throw plain.errored;
  } catch {
    throw damaged(file, passphrase);
  }
}

async function bytesOf(file: string, passphrase: string | null): Promise<[Readable, ...Transform[]]> {
  const handle = await open(file).catch((error: unknown) => {
    throw new ConfigError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const start = Buffer.alloc(MAGIC.length + SALT + NONCE);
    await handle.read(start, 0, start.length, 0);
    if (!start.subarray(0, MAGIC.length).equals(MAGIC)) return [createReadStream(file)];
    if (passphrase === null) throw new ConfigError(`${file} is encrypted: set SLUICE_BACKUP_PASSPHRASE`);
    const { size } = await handle.stat();
    const tag = Buffer.alloc(TAG);
    await handle.read(tag, 0, TAG, size - TAG);
    const salt = start.subarray(MAGIC.length, MAGIC.length + SALT);
    const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, salt), start.subarray(MAGIC.length + SALT));
    decipher.setAuthTag(tag);
    return [createReadStream(file, { start: start.length, end: Math.max(start.length, size - TAG - 1) }), decipher];
  } finally {
    await handle.close();
  }
}

const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 128 << 20 });

const damaged = (file: string, passphrase: string | null = null): ConfigError =>
  new ConfigError(
    `${file} is damaged or truncated${passphrase === null ? '' : ', or the passphrase is wrong'}; nothing was restored`,
  );
