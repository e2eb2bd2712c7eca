import { lstatSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { ConnectorError, MISSING_FILE } from '../../connector.ts';
import type { FileToOpen } from '../../embedded/frames.ts';
import { codeOf, engineError } from './engine-error.ts';
import { Guard, type GuardedDatabase } from './guard.ts';
import { Queries } from './queries.ts';

/** A database that is opened once for many queries. */
export interface ReadableDatabase extends GuardedDatabase {
  readonly queries: Queries;
  /** Begins a transaction and returns the version of the schema in it. */
  begin(): unknown;
  rollback(): void;
}

const busyMs = 5000;
const longestValue = 64 << 20;

/** The file, kept open for reading between requests. */
export class OpenFile {
  readonly #file: FileToOpen;
  #open: (ReadableDatabase & { readonly identity: string }) | undefined;

  constructor(file: FileToOpen) {
    this.#file = file;
  }

  /** Opens it again when it was replaced by another file. Throws `unavailable`. */
  toRead(): ReadableDatabase {
    const { path, writable } = this.#file;
    return orUnavailable(() => {
      const identity = identityOf(path);
      if (this.#open?.identity === identity) return this.#open;
      requireNoLink(path);
      this.close();
      this.#open = { ...openToRead(path, writable), identity };
      if (identityOf(path) === identity) return this.#open;
      this.close();
      throw fileRefusal('The file was replaced while it was opened.');
    });
  }

  /** For one run with an Epilogue; its caller closes it. Throws `unavailable`. */
  toWrite(waitMs: number): GuardedDatabase {
    const { path } = this.#file;
    return orUnavailable(() => {
      identityOf(path);
      requireNoLink(path);
      return guardDatabase(new DatabaseSync(path, { ...options, timeout: Math.min(waitMs, 2 ** 31 - 1) }));
    });
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }
}

function orUnavailable<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw engineError('unavailable', error);
  }
}

const options = {
  readBigInts: true,
  returnArrays: true,
  allowExtension: false,
  defensive: true,
  timeout: busyMs,
  limits: { attach: 0, length: longestValue, sqlLength: 4 << 20 },
} as const;

function openToRead(path: string, writable: boolean): ReadableDatabase {
  try {
    return openReadable(path);
  } catch (error) {
    if (!writable || codeOf(error) !== readOnlyRollback) throw error;
    rollBackKilledRun(path);
    return openReadable(path);
  }
}

function openReadable(path: string): ReadableDatabase {
  const database = new DatabaseSync(path, { ...options, readOnly: true });
  try {
    database.exec('SELECT count(*) FROM sqlite_schema'); // reads the file for the first time
  } catch (error) {
    database.close();
    throw error;
  }
  const [begin, schemaVersion, rollback] = ['BEGIN', 'PRAGMA schema_version', 'ROLLBACK'].map((sql) => database.prepare(sql));
  return {
    ...guardDatabase(database),
    queries: new Queries(),
    begin() {
      begin?.run();
      return schemaVersion?.get()?.[0]; // an array, because of the options
    },
    rollback: () => rollback?.run(),
  };
}

const readOnlyRollback = 776;

/** A journal left by a killed run must be rolled back before the file can be read, and readers may not do that. */
function rollBackKilledRun(path: string): void {
  const database = new DatabaseSync(path, options);
  try {
    database.exec('SELECT count(*) FROM sqlite_schema');
  } finally {
    database.close();
  }
}

function guardDatabase(database: DatabaseSync): GuardedDatabase {
  database.exec('PRAGMA trusted_schema = OFF');
  return { database, guard: new Guard(database) };
}

function identityOf(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) throw fileRefusal(MISSING_FILE);
  return `${found.dev}:${found.ino}`;
}

/** The path was resolved when it was checked, so a link in it was created later. An open file needs no check: it is the one that was checked. */
function requireNoLink(path: string): void {
  if (resolveRealPath(path) !== path) throw fileRefusal('The file was replaced by a link.');
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw fileRefusal(MISSING_FILE); // a link to nowhere
  }
}

const fileRefusal = (message: string): ConnectorError => new ConnectorError('unavailable', message, { isForAuthors: true });
