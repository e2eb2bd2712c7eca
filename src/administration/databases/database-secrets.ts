import type { SecretBox } from '../../access/secret-box.ts';
import { ConnectorError } from '../../connectors/connector.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';

type Secrets = Readonly<Record<string, unknown>>;

export type DatabaseSecrets = ReturnType<typeof createDatabaseSecrets>;

/** Seals the secret fields of a connection at rest, bound to their row so that they cannot be moved to another one. */
export function createDatabaseSecrets(box: SecretBox) {
  /** Null if they were sealed under another key. */
  const readSecrets = ({ id, sealedSecrets }: DatabaseRecord): Secrets | null => {
    if (sealedSecrets === null) return {};
    const opened = box.open(sealedSecrets, context(id));
    return opened === null ? null : JSON.parse(opened);
  };
  return {
    seal: (databaseId: string, secrets: Secrets): string | null =>
      Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), context(databaseId)),
    readSecrets,
    /** For opening a connector; throws ConnectorError if they cannot be opened. */
    openSecrets(database: DatabaseRecord): Secrets {
      const secrets = readSecrets(database);
      if (secrets === null) {
        throw new ConnectorError(
          'unavailable',
          'The stored credentials cannot be decrypted with the secret of this service. Enter them again.',
        );
      }
      return secrets;
    },
  };
}

const context = (databaseId: string): string => `database:${databaseId}`;
