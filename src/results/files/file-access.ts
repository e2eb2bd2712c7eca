import { randomBytes } from 'node:crypto';
import { type FileHandle, readFile, rename, stat, writeFile } from 'node:fs/promises';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** Null if the file is missing: other processes may remove files at any time. */
export async function nullIfMissing<T>(access: () => Promise<T>): Promise<T | null> {
  try {
    return await access();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const sizeOfFile = async (path: string): Promise<number> => (await nullIfMissing(() => stat(path)))?.size ?? 0;
export const readModifiedAt = async (path: string): Promise<number | null> =>
  (await nullIfMissing(() => stat(path)))?.mtimeMs ?? null;

/** Null if the file is missing or not complete JSON: both mean that it was never finished. */
export async function readJson<T>(path: string): Promise<T | null> {
  const text = await nullIfMissing(() => readFile(path, 'utf8'));
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

export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const step = await file.write(bytes, written, bytes.length - written, position + written);
    written += step.bytesWritten;
  }
}
