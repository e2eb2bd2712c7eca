import type { SecretBox } from '../../access/secret-box.ts';
import { ConnectorError } from '../../connectors/connector.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';

/** Seals the secret fields of a connection at rest, bound to their row so that they cannot be moved to another one. */
export interface DatabaseSecrets {
  seal(databaseId: string, secrets: Readonly<Record<string, unknown>>): string | null;
  /** The secret fields; null if they were sealed under another key. */
  stored(database: DatabaseRecord): Readonly<Record<string, unknown>> | null;
  /** The same, for opening a connector; throws ConnectorError if they cannot be opened. */
  openSecrets(database: DatabaseRecord): Readonly<Record<string, unknown>>;
}

export function createDatabaseSecrets(box: SecretBox): DatabaseSecrets {
  const stored = ({ id, sealedSecrets }: DatabaseRecord): Readonly<Record<string, unknown>> | null => {
    if (sealedSecrets === null) return {};
    const opened = box.open(sealedSecrets, context(id));
    return opened === null ? null : JSON.parse(opened);
  };
  return {
    seal: (databaseId, secrets) =>
      Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), context(databaseId)),
    stored,
    openSecrets: (database) => {
      const secrets = stored(database);
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
