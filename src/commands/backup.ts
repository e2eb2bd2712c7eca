import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openCopy } from '../composition/storage.ts';
import { type Config, ConfigError, settings } from '../config/config.ts';
import { version } from '../core/version.ts';
import { type BackupHeader, openBackup, writeBackup } from '../operations/backup-file.ts';
import {
  type DataFolder,
  lockDataFolder,
  metadataFileOf,
  openDataFolder,
  placeSecrets,
  readSecrets,
} from '../operations/data-folder.ts';
import { openInstallation } from './command-store.ts';

/** A consistent copy of the installation, without its databases, while it runs. */
export async function backup(config: Config, file: string): Promise<void> {
  const folder = openInstallation(config);
  const copy = await openCopy(config, folder);
  try {
    const { backupPassphrase } = config;
    const header = {
      sluice: version,
      format: 2 as const,
      takenAt: new Date().toISOString(),
      migrations: [...copy.migrations],
      secretMark: secretMark(folder.secret),
      ...(backupPassphrase === null ? {} : { secrets: secretsOf(config, folder).map((secret) => secret.toString('base64url')) }),
    };
    const count = await writeBackup(file, header, copy.rows(), backupPassphrase);
    const words =
      backupPassphrase === null
        ? describeMissingSecret(folder.path)
        : ' It is encrypted and contains the secret of this installation.';
    process.stdout.write(`${count} rows written to ${file}.${words}\n`);
  } finally {
    await copy.close();
  }
}

export const secretMark = (secret: Buffer): string => createHmac('sha256', secret).update('backup').digest('base64url');

const describeMissingSecret = (folder: string): string =>
  ` It does not contain the secret: keep ${folder}/secret separately, or set SLUICE_BACKUP_PASSPHRASE.`;

const secretsOf = ({ secrets }: Config, { secretFile }: DataFolder): readonly Buffer[] =>
  secretFile === null ? secrets : readSecrets(secretFile);

/** Restores into an unused installation: an empty data folder or an empty database. */
export async function restore(config: Config, file: string): Promise<void> {
  const { header, rows } = await openBackup(file, config.backupPassphrase);
  await requireUnused(config);
  const folder = folderFor(config, header);
  const release = config.metadataUrl === null ? lockDataFolder(folder) : null;
  try {
    const copy = await openCopy(config, folder);
    try {
      refuseNewer(header, copy.migrations);
      await copy.load(rows());
    } finally {
      await copy.close();
    }
  } finally {
    release?.();
  }
  process.stdout.write(`Restored the backup taken at ${header.takenAt}. Start with: sluice start\n`);
}

/** Runs before the secret is written: a restore must not replace the secret of an installation in use. */
async function requireUnused(config: Config): Promise<void> {
  const metadataFile = metadataFileOf(config.dataFolder);
  if (config.metadataUrl === null && !existsSync(metadataFile)) return;
  const copy = await openCopy(config, { metadataFile });
  try {
    await copy.requireUnused();
  } finally {
    await copy.close();
  }
}

function folderFor(config: Config, header: BackupHeader): DataFolder {
  const isSetting = config.secrets.length > 0;
  const file = isSetting ? settings.secrets.env : join(resolve(config.dataFolder), 'secret');
  if (!isSetting && !existsSync(file)) {
    if (header.secrets === undefined) {
      throw new ConfigError(
        `the backup does not contain the secret: put the secret file of the original installation at ${file} first`,
      );
    }
    placeSecrets(
      file,
      header.secrets.map((secret) => Buffer.from(secret, 'base64url')),
    );
  }
  const folder = openDataFolder(config.dataFolder, config.secrets);
  if (secretMark(folder.secret) === header.secretMark) return folder;
  throw new ConfigError(
    `${file} is not the secret of the installation that was backed up: its database passwords could not be decrypted`,
  );
}

function refuseNewer(header: BackupHeader, known: readonly string[]): void {
  const unknown = header.migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ConfigError(`the backup was written by a newer version (${header.sluice}); restore it with that one`);
}
