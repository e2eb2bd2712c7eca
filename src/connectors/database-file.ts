import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import type { Surroundings } from './connector.ts';

export type DatabaseFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string; readonly missing: boolean }; // missing: the path is allowed, and the file may be created later

/**
 * Finds the file of an embedded engine and refuses files outside of the allowed folders, after resolving links. A relative name is
 * searched for in the folders. The error does not reveal whether a file outside of them exists.
 */
export function findDatabaseFile(file: unknown, surroundings: Surroundings): DatabaseFile {
  if (typeof file !== 'string' || file.trim() === '') return refused('Name the database file.');
  // names that an engine does not read as a file: ':memory:', 'file:demo.db?mode=rwc'
  if (file.includes('\0') || /^(:|file:)/i.test(file)) return refused('This is not the name of a file.');
  const candidates = isAbsolute(file) ? [resolve(file)] : surroundings.fileFolders.map((folder) => join(folder, file));
  const path = candidates.map(realPath).find((found) => found !== undefined);
  if (path === undefined) {
    return candidates.some((candidate) => isAllowed(candidate, surroundings)) ? missing() : outside();
  }
  if (!isAllowed(path, surroundings)) return outside();
  if (!statSync(path).isFile()) return refused('This is not a file.');
  return { ok: true, path };
}

function isAllowed(path: string, { fileFolders, trustedFiles, dataFolder }: Surroundings): boolean {
  if (trustedFiles.some((trusted) => (realPath(trusted) ?? resolve(trusted)) === path)) return true;
  if (isInside(path, dataFolder)) return false;
  return fileFolders.some((folder) => isInside(path, folder));
}

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(`${(realPath(folder) ?? resolve(folder)).replace(/\/$/, '')}${sep}`);

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const refused = (message: string): DatabaseFile => ({ ok: false, message, missing: false });
const missing = (): DatabaseFile => ({ ok: false, message: 'There is no such file.', missing: true });
const outside = (): DatabaseFile => refused('The file must lie in one of the folders that the service allows for databases.');
