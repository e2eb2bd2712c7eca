import { isDeepStrictEqual } from 'node:util';
import type { ConnectorKind, Surroundings } from '../../connectors/connector.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../../errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A connection in two halves: what may be shown, and what is sealed. */
export interface ConnectionParts {
  readonly connection: Fields;
  readonly secrets: Fields;
}

export interface StoredConnection extends ConnectionParts {
  readonly settings: Fields;
}

export interface RequestedConnection {
  readonly name: string;
  readonly connection: Fields; // as it was sent: a secret may be left out
  readonly settings: Fields;
  readonly writable: boolean;
}

/**
 * Puts a wished connection together with the secrets that are stored. A secret that is left out stays, but only where the
 * connection is otherwise unchanged: whoever could point it at a host of their own would be sent the password.
 */
export function resolveConnection(
  kind: ConnectorKind,
  requested: RequestedConnection,
  stored: StoredConnection | null,
  surroundings: Surroundings,
): Result<ConnectionParts> {
  const given = Object.entries(requested.connection).filter(([, value]) => value !== undefined);
  const isSecret = (field: string): boolean => kind.secretFields.includes(field);
  const connection = Object.fromEntries(given.filter(([field, value]) => !isSecret(field) && value !== null));
  const secrets = Object.fromEntries(given.filter(([field, value]) => isSecret(field) && value !== null));

  const keptFields = Object.keys(stored?.secrets ?? {}).filter((field) => !given.some(([name]) => name === field));
  if (stored !== null && keptFields.length > 0) {
    if (!isDeepStrictEqual({ ...stored.connection }, connection)) {
      return failed({ kind: 'FieldInvalid', problems: keptFields.map(secretRequired) });
    }
    for (const field of keptFields) secrets[field] = stored.secrets[field];
  }

  // a database whose file is gone can still be renamed or disabled
  const unchanged = stored && isDeepStrictEqual(stored, { connection, secrets, settings: requested.settings });
  if (unchanged) return succeeded({ connection, secrets });
  const problems = kind.check({ ...requested, connection: { ...connection, ...secrets }, surroundings });
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems: problems.map(withFieldPath) });
  return succeeded({ connection, secrets });
}

const secretRequired = (field: string): FieldProblem => ({
  field: `connection.${field}`,
  message: `The connection changed, so ${field} must be sent again.`,
});

const withFieldPath = ({ field, message }: FieldProblem): FieldProblem => ({
  field: /^(connection|settings|writable|name)\b/.test(field) ? field : `connection.${field}`,
  message,
});
