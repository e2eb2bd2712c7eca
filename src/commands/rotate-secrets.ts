import { randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import { openDataFolder, readSecrets, replaceSecrets } from '../data-folder.ts';
import { databasesOf, openStore } from '../main.ts';

import { commandEntry } from './command-entry.ts';

/**
 * A new secret takes over while the service runs: it is added first, so that every process knows it before anything is sealed with it. The old
 * ones still open codes, links and embed tokens until they are dropped.
 */
export async function rotateSecrets(config: Config): Promise<void> {
  const { secretFile } = openDataFolder(config.dataFolder);
  replaceSecrets(secretFile, [randomBytes(32), ...readSecrets(secretFile)]);
  const folder = openDataFolder(config.dataFolder);
  const { secrets } = databasesOf(config, folder);
  const store = await openStore(config, folder);
  try {
    const resealed = await store.transaction(async ({ databases, audit }) => {
      const sealed = (await databases.all()).filter(({ sealedSecrets }) => sealedSecrets !== null);
      for (const database of sealed) {
        const sealedSecrets = secrets.seal(database.id, secrets.openSecrets(database));
        await databases.update({ ...database, sealedSecrets, version: database.version + 1 });
      }
      await audit.append([commandEntry('secrets.rotate', { databases: sealed.length })]);
      return sealed.length;
    });
    process.stdout.write(
      `A new secret counts from now on; the passwords of ${resealed} databases are sealed with it.\n` +
        'Codes, links and embed tokens from before stay good until: sluice secrets drop-old\n',
    );
  } finally {
    await store.close();
  }
}

/** Ends whatever was signed or sealed with an older secret. */
export async function dropOldSecrets(config: Config): Promise<void> {
  const folder = openDataFolder(config.dataFolder);
  const store = await openStore(config, folder);
  try {
    const dropped = readSecrets(folder.secretFile).length - 1;
    await store.audit.append([commandEntry('secrets.drop-old', { dropped })]);
    replaceSecrets(folder.secretFile, [folder.secret]);
    process.stdout.write(`${dropped} old secrets dropped; what they signed is worthless now.\n`);
  } finally {
    await store.close();
  }
}
