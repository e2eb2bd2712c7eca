import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../core/error-code.ts';
import { SnapshotStorageError } from '../snapshot/stop.ts';

const missing: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR']);

/** Null if the file is missing: other processes may remove files at any time. */
export async function nullIfMissing<T>(access: () => Promise<T>): Promise<T | null> {
  try {
    return await access();
  } catch (error) {
    if (missing.has(errorCode(error))) return null;
    throw error;
  }
}

export const sizeOfFile = async (path: string): Promise<number> => (await nullIfMissing(() => stat(path)))?.size ?? 0;
export const readModifiedAt = async (path: string): Promise<number | null> =>
  (await nullIfMissing(() => stat(path)))?.mtimeMs ?? null;

/** Null if the file is missing or not complete JSON: both mean that it was never finished. */
export const readJson = async <T>(path: string): Promise<T | null> =>
  parseWhole<T>(await nullIfMissing(() => readFile(path, 'utf8')));

/** Null if the text is missing or not complete JSON. */
export function parseWhole<T>(text: string | null): T | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Replaces the file atomically. */
export async function writeJson(path: string, content: object): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(content), { mode: 0o600 });
  await rename(draft, path);
}

/** At least one byte from `start` on, and none from `end` on. */
export async function readPart(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const wanted = end - start;
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(wanted), 0, wanted, start);
  if (bytesRead === 0) throw new SnapshotStorageError(new Error('a file is shorter than what was written to it'));
  return buffer.subarray(0, bytesRead);
}

/** Opens a new file without a name, which disappears with the process. */
export async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, `spool-${randomBytes(12).toString('hex')}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const step = await file.write(bytes, written, bytes.length - written, position + written);
    written += step.bytesWritten;
  }
}
