import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import type { CopiedRows } from '../store/metadata-copy.ts';
import { appendTo, writeWhole } from './whole-file.ts';

/**
 * A backup is compressed NDJSON: a header; lines with a table, its columns and some of its rows; the number of rows. With a passphrase
 * it is encrypted and includes the secrets of the installation. Without one it has no secrets, and sealed values stay sealed.
 */
export const backupHeader = z.object({
  sluice: z.string(), // the version that wrote it
  format: z.literal([1, 2]), // 1: each line is a table and one row as an object
  takenAt: z.string(),
  migrations: z.array(z.string()),
  secretMark: z.string(), // identifies the secret without revealing it
  secrets: z.array(z.string()).optional(), // newest first
});
export type BackupHeader = z.infer<typeof backupHeader>;

export interface OpenedBackup {
  readonly header: BackupHeader;
  /** Throws unless the backup is complete and unaltered. */
  rows(): AsyncIterable<CopiedRows>;
}

const ENCRYPTED = Buffer.from('sluice-backup-2\n');
const ENCRYPTED_GZIP = Buffer.from('sluice-backup-1\n'); // of earlier versions
const GZIP = Buffer.from([0x1f, 0x8b]); // earlier versions compressed by gzip
const SALT = 16;
const NONCE = 12;
const TAG = 16;
const COMPRESSED_BYTES = 256 << 10;

/** Returns the number of rows. */
export function writeBackup(
  file: string,
  header: BackupHeader,
  chunks: AsyncIterable<CopiedRows>,
  passphrase: string | null,
): Promise<number> {
  return writeWhole(file, { replaces: true }, async (handle, signal) => {
    const count = { rows: 0 };
    const lines = Readable.from(linesOf(header, chunks, count), { objectMode: true, highWaterMark: 2 });
    // a higher level takes longer than reading the store
    const params = { [constants.ZSTD_c_compressionLevel]: 1 };
    const compress = createZstdCompress({ params, chunkSize: COMPRESSED_BYTES });
    if (passphrase === null) {
      await pipeline(lines, compress, appendTo(handle), { signal });
    } else {
      const salt = randomBytes(SALT);
      const nonce = randomBytes(NONCE);
      await handle.write(Buffer.concat([ENCRYPTED, salt, nonce]));
      const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce);
      await pipeline(lines, compress, cipher, appendTo(handle), { signal });
      await handle.write(cipher.getAuthTag());
    }
    return count.rows;
  });
}

export async function openBackup(file: string, passphrase: string | null): Promise<OpenedBackup> {
  const lines = linesIn(file, passphrase);
  const first = await lines.next();
  const header = backupHeader.safeParse(first.done === true ? null : first.value);
  if (!header.success) throw new ConfigError(`${file} is not a backup of Sluice, or this version cannot read it`);
  return { header: header.data, rows: () => rowsIn(file, lines) };
}

async function* linesOf(
  header: BackupHeader,
  chunks: AsyncIterable<CopiedRows>,
  count: { rows: number },
): AsyncGenerator<string> {
  yield `${JSON.stringify(header)}\n`;
  for await (const { table, columns, count: rows, json } of chunks) {
    count.rows += rows;
    yield `[${JSON.stringify(table)},${JSON.stringify(columns)},${json}]\n`;
  }
  yield `${JSON.stringify({ rows: count.rows })}\n`;
}

const footer = z.object({ rows: z.number() });

async function* rowsIn(file: string, lines: AsyncIterator<unknown>): AsyncGenerator<CopiedRows> {
  let count = 0;
  let isComplete = false;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const chunk = chunkOf(line.value);
    if (chunk !== null && !isComplete) {
      count += chunk.count;
      yield chunk;
      continue;
    }
    const end = footer.safeParse(line.value);
    if (!end.success || isComplete || end.data.rows !== count) throw damagedError(file);
    isComplete = true;
  }
  if (!isComplete) throw damagedError(file);
}

/** Without zod, which would take longer than loading the rows. Null if the line contains no rows. */
function chunkOf(line: unknown): CopiedRows | null {
  if (!Array.isArray(line)) return null;
  const [table, ...rest]: unknown[] = line;
  const [columns, rows] = rest.length === 1 && isRecord(rest[0]) ? [Object.keys(rest[0]), [Object.values(rest[0])]] : rest;
  if (typeof table !== 'string' || !Array.isArray(columns) || !Array.isArray(rows)) return null;
  const isRow = (row: unknown): boolean => Array.isArray(row) && row.length === columns.length && row.every(isCell);
  if (columns.length === 0 || !columns.every((column) => typeof column === 'string') || !rows.every(isRow)) return null;
  return { table, columns, count: rows.length, json: JSON.stringify(rows) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCell = (value: unknown): boolean => value === null || typeof value === 'string' || typeof value === 'number';

async function* linesIn(file: string, passphrase: string | null): AsyncGenerator<unknown, undefined> {
  const plain = new PassThrough();
  const done = pipeline([...(await compressedBytesOf(file, passphrase)), plain]).catch((error: unknown) => {
    plain.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const line of createInterface({ input: plain, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line);
    await done;
    if (plain.errored !== null) throw plain.errored;
  } catch {
    throw damagedError(file, passphrase);
  }
}

/** The steps from the bytes of the file to its text. */
async function compressedBytesOf(file: string, passphrase: string | null): Promise<[Readable, ...Transform[]]> {
  const throwUnreadable = (error: unknown): never => {
    throw new ConfigError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const handle = await open(file).catch(throwUnreadable);
  try {
    const start = Buffer.alloc(ENCRYPTED.length + SALT + NONCE);
    await handle.read(start, 0, start.length, 0).catch(throwUnreadable);
    const mark = start.subarray(0, ENCRYPTED.length);
    const isGzip = mark.equals(ENCRYPTED_GZIP) || mark.subarray(0, GZIP.length).equals(GZIP);
    const decompress = isGzip ? createGunzip() : createZstdDecompress();
    if (!mark.equals(ENCRYPTED) && !mark.equals(ENCRYPTED_GZIP)) return [createReadStream(file), decompress];
    if (passphrase === null) throw new ConfigError(`${file} is encrypted: set SLUICE_BACKUP_PASSPHRASE`);
    const { size } = await handle.stat();
    const tag = Buffer.alloc(TAG);
    await handle.read(tag, 0, TAG, size - TAG);
    const salt = start.subarray(ENCRYPTED.length, ENCRYPTED.length + SALT);
    const decipher = createDecipheriv('aes-256-gcm', keyOf(passphrase, salt), start.subarray(ENCRYPTED.length + SALT));
    decipher.setAuthTag(tag);
    return [createReadStream(file, { start: start.length, end: Math.max(start.length, size - TAG - 1) }), decipher, decompress];
  } finally {
    await handle.close();
  }
}

const keyOf = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 128 << 20 });

const damagedError = (file: string, passphrase: string | null = null): ConfigError =>
  new ConfigError(
    `${file} is damaged or truncated${passphrase === null ? '' : ', or the passphrase is wrong'}; nothing was restored`,
  );
