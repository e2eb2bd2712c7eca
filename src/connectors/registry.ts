import type { DatabaseRecord } from '../store/metadata-store.ts';
import { clickhouse } from './clickhouse/index.ts';
import { type Connections, type Connector, ConnectorError, type ConnectorKind, type Surroundings } from './connector.ts';
import { duckdb } from './duckdb/index.ts';
import { mysql } from './mysql/index.ts';
import { postgres } from './postgres/index.ts';
import { sqlite } from './sqlite/index.ts';
import { sqlserver } from './sqlserver/index.ts';
import { type TrackedConnector, tracked } from './tracked-connector.ts';
import { trino } from './trino/index.ts';

/** Every engine, by the kind that a database record names. */
export const connectorKinds: Readonly<Record<string, ConnectorKind>> = {
  clickhouse,
  duckdb,
  mysql,
  postgres,
  sqlite,
  sqlserver,
  trino,
};

export interface ConnectionsOptions {
  readonly surroundings: Surroundings;
  /** The secret fields of a connection, unsealed. */
  readonly openSecrets: (database: DatabaseRecord) => Readonly<Record<string, unknown>>;
  readonly kinds?: Readonly<Record<string, ConnectorKind>>;
  /** How long running queries may go on with a connector that is to be closed. */
  readonly graceMs?: number;
}

interface Opened {
  readonly version: number;
  readonly writable: boolean;
  readonly connector: Promise<TrackedConnector>;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { kinds = connectorKinds, graceMs = 30_000 } = options;
  const opened = new Map<string, Opened>();
  const closings = new Map<string, Promise<void>>();

  function connectorFor(database: DatabaseRecord): Promise<Connector> {
    const current = opened.get(database.id);
    // a caller may still hold an older record than the one that was opened
    if (current !== undefined && current.version >= database.version) return current.connector;
    const replaced = current === undefined ? closings.get(database.id) : retire(database.id, current);
    // a file that is open for writing cannot be opened a second time
    const mustWait = database.writable || current?.writable === true || current === undefined;
    const entry: Opened = {
      version: database.version,
      writable: database.writable,
      connector: (mustWait ? (replaced ?? Promise.resolve()) : Promise.resolve()).then(() => open(database)),
    };
    opened.set(database.id, entry);
    entry.connector.catch(() => {
      if (opened.get(database.id) === entry) opened.delete(database.id);
    });
    return entry.connector;
  }

  function kindOf(database: Pick<DatabaseRecord, 'kind'>): ConnectorKind {
    const kind = Object.hasOwn(kinds, database.kind) ? kinds[database.kind] : undefined;
    if (kind !== undefined) return kind;
    throw new ConnectorError('unavailable', `There is no connector for databases of kind ${database.kind}.`);
  }

  async function open(database: DatabaseRecord): Promise<TrackedConnector> {
    const kind = kindOf(database);
    const { name, connection, settings, writable } = database;
    const { surroundings, openSecrets } = options;
    return tracked(
      await kind.open({ name, connection: { ...connection, ...openSecrets(database) }, settings, writable, surroundings }),
    );
  }

  function retire(databaseId: string, entry: Opened, grace = graceMs): Promise<void> {
    const before = closings.get(databaseId);
    const closing = entry.connector
      .then(
        (connector) => connector.closeWithin(grace),
        () => {}, // it never opened
      )
      .then(() => before)
      .finally(() => {
        if (closings.get(databaseId) === closing) closings.delete(databaseId);
      });
    closings.set(databaseId, closing);
    return closing;
  }

  async function forget(databaseId: string): Promise<void> {
    const entry = opened.get(databaseId);
    opened.delete(databaseId);
    await (entry === undefined ? closings.get(databaseId) : retire(databaseId, entry));
  }

  async function closeAll(): Promise<void> {
    const entries = [...opened];
    opened.clear();
    await Promise.all([...entries.map(([id, entry]) => retire(id, entry, 0)), ...closings.values()]);
  }

  return { placeholdersOf: (database) => kindOf(database).placeholders, connectorFor, forget, closeAll };
}
