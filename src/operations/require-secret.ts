import { createShareParameters } from '../access/share.ts';
import type { DatabaseSecrets } from '../administration/databases/database-connection.ts';
import { ConfigError, settings } from '../config/config.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import type { DataFolder } from './data-folder.ts';

const SOME_SHARES = 500;

/** Refuses a secret that opens nothing of what the store has sealed: it belongs to another installation, or was created anew. */
export async function requireSecretOf(
  store: Pick<MetadataStore, 'databases' | 'embeds' | 'links'>,
  { secretFile, keys }: Pick<DataFolder, 'secretFile' | 'keys'>,
  databases: Pick<DatabaseSecrets, 'readSecrets'>,
): Promise<void> {
  const opened = (await store.databases.listAll())
    .filter(({ sealedSecrets }) => sealedSecrets !== null)
    .map((database) => databases.readSecrets(database) !== null);
  for (const [kind, shares] of [
    ['embed', store.embeds],
    ['link', store.links],
  ] as const) {
    const parameters = createShareParameters(keys, kind);
    const { items } = await shares.list({ limit: SOME_SHARES });
    const sealed = items.filter((share) => typeof share.parameters === 'string');
    opened.push(...sealed.map((share) => parameters.open(share) !== null));
  }
  if (opened.length === 0 || opened.includes(true)) return;
  throw new ConfigError(
    `the secret in ${secretFile ?? settings.secrets.env} is not the one of this metadata store: stored passwords cannot be decrypted; put back the secret of the installation`,
  );
}
