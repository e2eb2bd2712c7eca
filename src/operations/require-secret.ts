import type { EmbedParameters } from '../access/embed.ts';
import type { DatabaseSecrets } from '../administration/databases/database-connection.ts';
import { ConfigError, settings } from '../config/config.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import type { DataFolder } from './data-folder.ts';

interface Opened {
  readonly databases: Pick<DatabaseSecrets, 'readSecrets'>;
  readonly embeds: Pick<EmbedParameters, 'open'>;
}

const SOME_EMBEDS = 500;

/** Refuses a secret that opens nothing of what the store has sealed: it belongs to another installation, or was created anew. */
export async function requireSecretOf(
  store: Pick<MetadataStore, 'databases' | 'embeds'>,
  { secretFile }: DataFolder,
  { databases, embeds }: Opened,
): Promise<void> {
  const sealedDatabases = (await store.databases.listAll()).filter(({ sealedSecrets }) => sealedSecrets !== null);
  const { items } = await store.embeds.list({ limit: SOME_EMBEDS });
  const sealedEmbeds = items.filter(({ parameters }) => typeof parameters === 'string');
  if (sealedDatabases.length + sealedEmbeds.length === 0) return;
  if (sealedDatabases.some((database) => databases.readSecrets(database) !== null)) return;
  if (sealedEmbeds.some((embed) => embeds.open(embed) !== null)) return;
  throw new ConfigError(
    `the secret in ${secretFile ?? settings.secrets.env} is not the one of this metadata store: stored passwords cannot be decrypted; put back the secret of the installation`,
  );
}
