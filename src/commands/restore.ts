import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openCopy } from '../composition/storage.ts';
import { type Config, ConfigError, settings } from '../config/config.ts';
import { type BackupHeader, openBackup } from '../operations/backup-file.ts';
import { type DataFolder, lockDataFolder, metadataFileOf, openDataFolder, placeSecrets } from '../operations/data-folder.ts';
import { secretMark } from './backup.ts';

/** Restores into an unused installation: an empty data folder or an empty database. */
export async function restore(config: Config, file: string): Promise<void> {
  const { header, rows } = await openBackup(file, config.backupPassphrase);
  await requireUnused(config);
  const folder = folderFor(config, header);
  const lock = config.metadataUrl === null ? lockDataFolder(folder) : null;
  try {
    const copy = await openCopy(config, folder);
    try {
      refuseNewer(header, copy.migrations);
      await copy.load(rows());
    } finally {
      await copy.close();
    }
  } finally {
    lock?.release();
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
