import { isDeepStrictEqual } from 'node:util';
import type { SecretBox } from '../../access/secret-box.ts';
import { type Engine, type ConnectorContext, ConnectorError } from '../../connectors/connector.ts';
import { type FieldProblem, failed, inputRefused, type Result, succeeded } from '../../core/errors.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A connection split into visible fields and secrets, which are stored sealed. */
export interface ConnectionParts {
  readonly connection: Fields;
  readonly secrets: Fields;
}

export interface StoredConnection extends ConnectionParts {
  readonly settings: Fields;
}

export interface RequestedConnection {
  readonly name: string;
  readonly connection: Fields; // as sent; secrets may be left out
  readonly settings: Fields;
  readonly writable: boolean;
}

/**
 * Combines the requested connection with the stored secrets. A secret that is left out is kept only if the connection is
 * otherwise unchanged: otherwise the password could be sent to another host.
 */
export function resolveConnection(
  engine: Engine,
  requested: RequestedConnection,
  stored: StoredConnection | null,
  context: ConnectorContext,
): Result<ConnectionParts> {
  const sent = Object.entries(requested.connection).filter(([, value]) => value !== undefined);
  const isSecret = (field: string): boolean => engine.secretFields.includes(field);
  const connection = Object.fromEntries(sent.filter(([field, value]) => !isSecret(field) && value !== null));
  const secrets = Object.fromEntries(sent.filter(([field, value]) => isSecret(field) && value !== null));

  const keptFields = Object.keys(stored?.secrets ?? {}).filter((field) => !sent.some(([name]) => name === field));
  if (stored !== null && keptFields.length > 0) {
    if (!isDeepStrictEqual({ ...stored.connection }, connection)) {
      return failed({ kind: 'FieldInvalid', problems: keptFields.map(secretRequired) });
    }
    for (const field of keptFields) secrets[field] = stored.secrets[field];
  }

  // a database whose file is missing can still be renamed or disabled
  const unchanged = stored && isDeepStrictEqual(stored, { connection, secrets, settings: requested.settings });
  if (unchanged) return succeeded({ connection, secrets });
  const problems = engine.check({ ...requested, connection: { ...connection, ...secrets }, context });
  if (problems.length > 0) return failed(inputRefused(problems.map(withFieldPath)));
  return succeeded({ connection, secrets });
}

const secretRequired = (field: string): FieldProblem => ({
  field: `connection.${field}`,
  message: `The connection changed, so ${field} must be sent again.`,
});

const withFieldPath = ({ field, ...problem }: FieldProblem): FieldProblem => ({
  ...problem,
  field: /^(connection|settings|writable|name)\b/.test(field) ? field : `connection.${field}`,
});

export type DatabaseSecrets = ReturnType<typeof createDatabaseSecrets>;

/** Seals the secret fields of a connection at rest, bound to their row so that they cannot be moved to another one. */
export function createDatabaseSecrets(box: SecretBox) {
  /** Null if they were sealed under another key. */
  const readSecrets = ({ id, sealedSecrets }: DatabaseRecord): Fields | null => {
    if (sealedSecrets === null) return {};
    const opened = box.open(sealedSecrets, context(id));
    return opened === null ? null : JSON.parse(opened);
  };
  return {
    seal: (databaseId: string, secrets: Fields): string | null =>
      Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), context(databaseId)),
    readSecrets,
    /** For opening a connector; throws ConnectorError if they cannot be opened. */
    openSecrets(database: DatabaseRecord): Fields {
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
