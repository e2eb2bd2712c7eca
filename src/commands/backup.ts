import { createHmac } from 'node:crypto';
import { openCopy } from '../composition/storage.ts';
import type { Config } from '../config/config.ts';
import { version } from '../core/version.ts';
import { writeBackup } from '../operations/backup-file.ts';
import { type DataFolder, readSecrets } from '../operations/data-folder.ts';
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
