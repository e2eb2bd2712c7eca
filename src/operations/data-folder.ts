import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createKeyRing, type KeyRing, type SecretSource } from '../access/key-ring.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { errorCode } from '../core/error-code.ts';

/** The folder of everything that the service writes, readable by its owner only. */
export interface DataFolder {
  readonly path: string;
  readonly secret: Buffer; // the newest master secret, at least 32 bytes
  readonly keys: KeyRing; // all master secrets
  readonly secretFile: string | null; // null: the secrets are a setting
  readonly metadataFile: string;
  readonly demoFile: string;
  readonly snapshots: string;
  readonly exports: string;
  readonly scratch: string;
}

/** `secrets` are those of the settings, newest first; if there are none, a file in the folder keeps them. */
export function openDataFolder(path: string, secrets: readonly Buffer[] = []): DataFolder {
  const folder = resolve(path);
  const pathOf = (name: string): string => join(folder, name);
  try {
    makeFolder(folder);
    requireMode(folder, 0o700);
    for (const name of ['snapshots', 'exports', 'scratch']) makeFolder(pathOf(name));
    if (secrets.length === 0 && !existsSync(pathOf('secret'))) makeSecret(pathOf('secret'), metadataFileOf(folder));
  } catch (error) {
    throw explainError(error, folder);
  }
  return {
    path: folder,
    ...(secrets[0] === undefined
      ? {
          secret: readNewest(pathOf('secret')),
          keys: createKeyRing(createSecretSource(pathOf('secret'))),
          secretFile: pathOf('secret'),
        }
      : { secret: secrets[0], keys: createKeyRing(() => secrets), secretFile: null }),
    metadataFile: metadataFileOf(folder),
    demoFile: pathOf('demo.duckdb'),
    snapshots: pathOf('snapshots'),
    exports: pathOf('exports'),
    scratch: pathOf('scratch'),
  };
}

export const metadataFileOf = (dataFolder: string): string => join(resolve(dataFolder), 'metadata.sqlite');

/** Not `recursive`: Node repeats that for ever below a folder that accepts no entries, such as /proc. */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // another process may have created it in the meantime
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** A full disk is not a mistake in the setting. */
function explainError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  if (errorCode(error) === 'ENOSPC') return new ConfigError(`the disk of the data folder ${folder} is full`);
  return new ConfigError(`bad value for SLUICE_DATA: the folder cannot be created or written (${error.message})`);
}

const SQLITE_BUSY = 5;

/**
 * Held while the service runs on the embedded store, so that two services never share it. An SQLite lock is a lock of the
 * operating system: it ends with the process and leaves nothing to clean up. Returns how to release it.
 */
export function lockDataFolder(folder: DataFolder): () => void {
  const lock = new DatabaseSync(join(folder.path, 'lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new ConfigError(
      `the data folder ${folder.path} is in use by another Sluice; give this one its own SLUICE_DATA, or a shared SLUICE_METADATA_URL`,
    );
  }
  return () => lock.close();
}

/** Several replicas share an installation whose metadata is in PostgreSQL, so that nothing is locked. Returns how to release it. */
export function lockInstallation(config: Pick<Config, 'dataFolder' | 'secrets' | 'metadataUrl'>): () => void {
  const folder = openDataFolder(config.dataFolder, config.secrets);
  if (config.metadataUrl !== null) return () => {};
  const release = lockDataFolder(folder);
  // leftovers of killed processes
  for (const name of readdirSync(folder.scratch)) rmSync(join(folder.scratch, name), { recursive: true, force: true });
  return release;
}

function readNewest(file: string): Buffer {
  requireMode(file, 0o600);
  const [newest] = readSecrets(file);
  if (newest === undefined) throw damagedSecretError(file);
  return newest;
}

/** One per line, newest first. */
export function readSecrets(file: string): readonly Buffer[] {
  const secrets = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64url'));
  if (secrets.length === 0 || secrets.some((secret) => secret.length !== 32)) throw damagedSecretError(file);
  return secrets;
}

const damagedSecretError = (file: string): ConfigError =>
  new ConfigError(`the secret file ${file} is damaged; restore it from a backup`);

const POLL_MS = 1_000;

/** Rereads the file when it changes, because another process may rotate the secrets. */
function createSecretSource(file: string): SecretSource {
  let secrets = readSecrets(file);
  let state = stateOf(file);
  let lookedAt = performance.now();
  return (now) => {
    if (now === undefined && performance.now() - lookedAt < POLL_MS) return secrets;
    lookedAt = performance.now();
    try {
      const current = stateOf(file);
      if (current !== state) [secrets, state] = [readSecrets(file), current];
    } catch {
      // keep the known secrets while the file is missing or damaged
    }
    return secrets;
  };
}

function stateOf(file: string): string {
  const { ino, mtimeMs, size } = statSync(file);
  return `${ino} ${mtimeMs} ${size}`;
}

/** Replaces the file atomically. */
export const replaceSecrets = (file: string, secrets: readonly Buffer[]): void => renameSync(draftOf(file, secrets), file);

function draftOf(file: string, secrets: readonly Buffer[]): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const lines = secrets.map((secret) => `${secret.toString('base64url')}\n`);
  writeFileSync(draft, lines.join(''), { flag: 'wx', mode: 0o600 });
  return draft;
}

/** Atomic: one of several concurrent first starts creates the secret. Never for a store that has been sealed with another one. */
function makeSecret(file: string, storeFile: string): void {
  if ((statSync(storeFile, { throwIfNoEntry: false })?.size ?? 0) > 0 && !existsSync(file)) {
    throw new ConfigError(
      `the secret file ${file} is missing, but ${storeFile} exists: put the secret file of this installation back, or set SLUICE_SECRET`,
    );
  }
  placeSecrets(file, [randomBytes(32)]);
}

/** Keeps an existing file. */
export function placeSecrets(file: string, secrets: readonly Buffer[]): void {
  makeFolder(dirname(file));
  const draft = draftOf(file, secrets);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function requireMode(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError(`${path} can be read by others; run: chmod ${mode.toString(8)} ${path}`);
  }
}
