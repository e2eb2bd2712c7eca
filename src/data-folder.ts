import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from './config.ts';

/** Everything that the service writes lies in here, for its own eyes only. */
export interface DataFolder {
  readonly path: string;
  readonly secret: Buffer; // 32 bytes, the root of every key that we derive
  readonly metadataFile: string;
  readonly demoFile: string;
  readonly snapshots: string;
  readonly scratch: string;
}

export function openDataFolder(path: string): DataFolder {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseOthers(folder, 0o700);
  const at = (name: string): string => join(folder, name);
  for (const name of ['snapshots', 'scratch']) mkdirSync(at(name), { recursive: true, mode: 0o700 });
  return {
    path: folder,
    secret: readSecret(at('secret')),
    metadataFile: at('metadata.sqlite'),
    demoFile: at('demo.duckdb'),
    snapshots: at('snapshots'),
    scratch: at('scratch'),
  };
}

/**
 * Held while the service runs on the embedded store, so that two services never share it. An SQLite lock is the operating system's own:
 * it ends with the process, however that ends, and leaves nothing to clean up.
 */
export function lockDataFolder(folder: DataFolder): { release: () => void } {
  const lock = new DatabaseSync(join(folder.path, 'lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new ConfigError(
      `the data folder ${folder.path} is in use by another Sluice; give this one its own SLUICE_DATA, or a shared SLUICE_METADATA_URL`,
    );
  }
  return { release: () => lock.close() };
}

function readSecret(file: string): Buffer {
  try {
    // exclusively, so that of two first starts only one makes it
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  refuseOthers(file, 0o600);
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (secret.length !== 32) throw new ConfigError(`the secret file ${file} is damaged; restore it from a backup`);
  return secret;
}

function refuseOthers(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new ConfigError(`${path} can be read by others; run: chmod ${mode.toString(8)} ${path}`);
  }
}
