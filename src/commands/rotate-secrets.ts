import { randomBytes } from 'node:crypto';
import { createSecretBox } from '../access/secret-box.ts';
import { sealShares } from '../administration/shares.ts';
import { databasesOf } from '../composition/storage.ts';
import { type Config, ConfigError, settings } from '../config/config.ts';
import { commandEntry } from '../operations/command-entry.ts';
import { type DataFolder, readSecrets, replaceSecrets } from '../operations/data-folder.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { openInstallation, withStore } from './command-store.ts';

/**
 * Adds a new secret while the service runs. It is written first, so that every process knows it before anything is sealed with
 * it. The old secrets still open codes, links and tokens of embeds and data links until they are dropped.
 */
export async function rotateSecrets(config: Config): Promise<void> {
  const { secretFile } = openInstallation(config);
  if (secretFile === null) {
    const { env } = settings.secrets;
    throw new ConfigError(
      `the secrets are in ${env}: put a new one in front of the others there, restart every replica, then run: sluice secrets drop-old`,
    );
  }
  replaceSecrets(secretFile, [randomBytes(32), ...readSecrets(secretFile)]);
  await withStore(config, async (store, folder) => {
    const { databases, shares } = await reseal(config, folder, store, 'secrets.rotate');
    process.stdout.write(
      `A new secret is in use; the passwords of ${databases} databases and the values of ${shares} embeds and data links are sealed with it.\n` +
        'Earlier codes, links and tokens stay valid until: sluice secrets drop-old\n',
    );
  });
}

/** Invalidates everything signed or sealed with an older secret. */
export async function dropOldSecrets(config: Config): Promise<void> {
  await withStore(config, async (store, folder) => {
    const { secretFile } = folder;
    const dropped = (secretFile === null ? config.secrets : readSecrets(secretFile)).length - 1;
    // processes may seal with an old secret for up to a second after a rotation
    await reseal(config, folder, store, 'secrets.drop-old', { dropped });
    if (secretFile === null) {
      process.stdout.write(
        `Everything is sealed with the first secret; now remove the other ${dropped} from ${settings.secrets.env}.\n`,
      );
      return;
    }
    replaceSecrets(secretFile, [folder.secret]);
    process.stdout.write(`${dropped} old secrets dropped; everything signed with them is invalid now.\n`);
  });
}

/** Reseals everything in the store with the newest secret. */
function reseal(
  config: Config,
  folder: DataFolder,
  store: MetadataStore,
  action: string,
  details: Readonly<Record<string, unknown>> = {},
): Promise<{ databases: number; shares: number }> {
  const { secrets } = databasesOf(config, folder);
  const signing = createSecretBox(folder.keys, 'signing secrets');
  return store.transaction(async ({ databases, embeds, links, users, audit }) => {
    const sealed = (await databases.listAll()).filter(({ sealedSecrets }) => sealedSecrets !== null);
    for (const database of sealed) {
      const sealedSecrets = secrets.seal(database.id, secrets.openSecrets(database));
      await databases.update({ ...database, sealedSecrets, version: database.version + 1 });
    }
    for (const user of await users.listSigning()) {
      const secret =
        user.signing !== null && 'sealedSecret' in user.signing ? signing.open(user.signing.sealedSecret, user.id) : null;
      if (secret === null) continue;
      await users.update({ ...user, signing: { sealedSecret: signing.seal(secret, user.id) }, version: user.version + 1 });
    }
    const counts = { databases: sealed.length, shares: await sealShares({ embeds, links }, folder.keys, 'all') };
    await audit.append([commandEntry(action, { ...details, ...counts })]);
    return counts;
  });
}
