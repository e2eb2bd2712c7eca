import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import type { FieldProblem } from '../core/errors.ts';
import {
  type Connector,
  ConnectorError,
  type Engine,
  MISSING_FILE,
  type OpenRequest,
  type ConnectorContext,
} from './connector.ts';
import { loadDriver } from './load-driver.ts';

interface FileEngine extends Omit<Engine, 'connection' | 'settings' | 'errorCodes' | 'secretFields' | 'check' | 'open'> {
  readonly signature: { readonly offset: number; readonly text: string }; // of files of this engine
  /** Imports the code that opens a file, and the driver with it. */
  importOpen(): Promise<(path: string, request: OpenRequest) => Promise<Connector>>;
}

/** An engine whose database is a file. */
export function fileEngine({ signature, importOpen, ...engine }: FileEngine): Engine {
  const { label } = engine;
  function find({ connection, context }: OpenRequest): DatabaseFile {
    const found = findDatabaseFile(connection.file, context);
    if (!found.ok) return found;
    try {
      if (textAt(found.path, signature.offset, signature.text.length) === signature.text) return found;
      return { ok: false, message: `This is not a ${label} database.`, missing: false };
    } catch {
      return { ok: false, message: 'The service may not read this file.', missing: false };
    }
  }

  return {
    ...engine,
    connection: 'file',
    settings: [],
    errorCodes: {},
    secretFields: [],
    check(request) {
      const file = find(request);
      // a missing file is reported when it is opened
      const problems = file.ok || file.missing ? [] : [{ field: 'connection.file', message: file.message }];
      return [...problems, ...findUnknownFields(label, request)];
    },
    async open(request) {
      const file = find(request);
      if (!file.ok) throw new ConnectorError('unavailable', file.message, { isForAuthors: file.missing });
      const open = await loadDriver(label, importOpen);
      return open(file.path, request);
    },
  };
}

function findUnknownFields(label: string, { connection, settings }: OpenRequest): readonly FieldProblem[] {
  const fields = Object.keys(connection).filter((field) => field !== 'file');
  return [...fields.map((field) => `connection.${field}`), ...Object.keys(settings).map((field) => `settings.${field}`)].map(
    (field) => ({ kind: 'FieldUnknown', field, message: `A ${label} database has no field ${field}.` }),
  );
}

function textAt(path: string, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, length, offset);
  } finally {
    closeSync(file);
  }
  return bytes.toString('latin1');
}

type DatabaseFile =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string; readonly missing: boolean }; // missing: the path is allowed, and the file may be created later

/**
 * Finds the file of an embedded engine and refuses files outside of the allowed folders, after resolving links. A relative name is
 * searched for in the folders. The error does not reveal whether a file outside of them exists.
 */
function findDatabaseFile(file: unknown, context: ConnectorContext): DatabaseFile {
  if (typeof file !== 'string' || file.trim() === '') return refuseFile('Name the database file.');
  // names that an engine does not read as a file: ':memory:', 'file:demo.db?mode=rwc'
  if (file.includes('\0') || /^(:|file:)/i.test(file)) return refuseFile('This is not the name of a file.');
  const candidates = isAbsolute(file) ? [resolve(file)] : context.fileFolders.map((folder) => join(folder, file));
  const path = candidates.map(resolveRealPath).find((found) => found !== undefined);
  if (path === undefined) {
    return candidates.some((candidate) => isAllowed(candidate, context)) ? refuseMissing() : refuseOutside(context);
  }
  if (!isAllowed(path, context)) return refuseOutside(context);
  if (!statSync(path).isFile()) return refuseFile('This is not a file.');
  return { ok: true, path };
}

function isAllowed(path: string, { fileFolders, trustedFiles, dataFolder }: ConnectorContext): boolean {
  if (trustedFiles.some((trusted) => (resolveRealPath(trusted) ?? resolve(trusted)) === path)) return true;
  if (isInside(path, dataFolder)) return false;
  return fileFolders.some((folder) => isInside(path, folder));
}

const isInside = (path: string, folder: string): boolean =>
  path.startsWith(`${(resolveRealPath(folder) ?? resolve(folder)).replace(/\/$/, '')}${sep}`);

function resolveRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const refuseFile = (message: string): DatabaseFile => ({ ok: false, message, missing: false });
const refuseMissing = (): DatabaseFile => ({ ok: false, message: MISSING_FILE, missing: true });
/** Only users who manage databases see the folders. */
const refuseOutside = ({ fileFolders }: ConnectorContext): DatabaseFile =>
  refuseFile(`The file must be in a folder that the service allows for databases (SLUICE_FILES): ${fileFolders.join(', ')}.`);
