import type { DatabaseRecord } from '../store/metadata-store.ts';
import { type Connections, type Connector, ConnectorError, type Engine, type ConnectorContext } from './connector.ts';
import { engines as allEngines } from './engines.ts';
import { type TrackedConnector, trackConnector } from './runs/tracked-connector.ts';

export interface ConnectionsOptions {
  readonly context: ConnectorContext;
  /** The secret fields of a connection, unsealed. */
  readonly openSecrets: (database: DatabaseRecord) => Readonly<Record<string, unknown>>;
  readonly engines?: readonly Engine[];
  /** How long running queries may go on with a connector that is to be closed. */
  readonly graceMs?: number;
}

interface Opened {
  readonly version: number;
  readonly writable: boolean;
  readonly connector: Promise<TrackedConnector>;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { engines = allEngines, graceMs = 30_000 } = options;
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

  function engineOf({ kind }: Pick<DatabaseRecord, 'kind'>): Engine {
    const engine = engines.find((each) => each.kind === kind);
    if (engine !== undefined) return engine;
    throw new ConnectorError('unavailable', `There is no connector for databases of kind ${kind}.`);
  }

  async function open(database: DatabaseRecord): Promise<TrackedConnector> {
    const engine = engineOf(database);
    const { name, connection, settings, writable } = database;
    const { context, openSecrets } = options;
    return trackConnector(
      await engine.open({ name, connection: { ...connection, ...openSecrets(database) }, settings, writable, context }),
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

  return { engineOf, connectorFor, forget, closeAll };
}
