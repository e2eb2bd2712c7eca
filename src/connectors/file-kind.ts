import { closeSync, openSync, readSync } from 'node:fs';
import { type Connector, ConnectorError, type ConnectorKind, type OpenRequest } from './connector.ts';
import { type DatabaseFile, findDatabaseFile } from './database-file.ts';
import { loadDriver } from './load-driver.ts';

interface FileEngine {
  readonly kind: string;
  readonly name: string;
  readonly signature: { readonly offset: number; readonly text: string }; // of files of this engine
  /** Imports the code that opens a file, and the driver with it. */
  importOpen(): Promise<(path: string, request: OpenRequest) => Promise<Connector>>;
}

/** An engine whose database is a file. */
export function fileKind({ kind, name, signature, importOpen }: FileEngine): ConnectorKind {
  function find({ connection, surroundings }: OpenRequest): DatabaseFile {
    const found = findDatabaseFile(connection.file, surroundings);
    if (!found.ok) return found;
    try {
      if (textAt(found.path, signature.offset, signature.text.length) === signature.text) return found;
      return { ok: false, message: `This is not a ${name} database.`, missing: false };
    } catch {
      return { ok: false, message: 'The service may not read this file.', missing: false };
    }
  }

  return {
    kind,
    secretFields: [],
    check(request) {
      const file = find(request);
      // a missing file is reported when it is opened
      return file.ok || file.missing ? [] : [{ field: 'connection.file', message: file.message }];
    },
    async open(request) {
      const file = find(request);
      if (!file.ok) throw new ConnectorError('unavailable', file.message);
      const open = await loadDriver(name, importOpen);
      return open(file.path, request);
    },
  };
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
