import { endsWithin } from '../core/concurrency/ends-within.ts';
import { observeStream, type RowStream } from '../results/row-stream.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';
import { type Connections, type Connector, type ConnectorContext, ConnectorError, type Engine } from './connector.ts';
import { engines as allEngines } from './engines.ts';

export interface ConnectionsOptions {
  readonly context: ConnectorContext;
  /** The secret fields of a connection, unsealed. */
  readonly openSecrets: (database: DatabaseRecord) => Readonly<Record<string, unknown>>;
  readonly engines?: readonly Engine[];
  /** How long running queries may continue on a connector that is being closed. */
  readonly graceMs?: number;
}

interface Opened {
  readonly version: number;
  readonly writable: boolean;
  readonly connector: Promise<TrackedConnector>;
  ready?: TrackedConnector; // `connector`, once it is open
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { engines = allEngines, graceMs = 30_000 } = options;
  const opened = new Map<string, Opened>();
  const closings = new Map<string, Promise<void>>();

  async function connectorFor(database: DatabaseRecord, signal?: AbortSignal): Promise<Connector> {
    const entry = entryFor(database);
    return entry.ready ?? (signal === undefined ? entry.connector : awaitUnlessStopped(entry.connector, signal));
  }

  function entryFor(database: DatabaseRecord): Opened {
    const current = opened.get(database.id);
    // a caller may still hold an older record than the one that was opened
    if (current !== undefined && current.version >= database.version) return current;
    const replaced = current === undefined ? closings.get(database.id) : retire(database.id, current);
    // a file that is open for writing cannot be opened a second time
    const mustWait = database.writable || current?.writable === true || current === undefined;
    const entry: Opened = {
      version: database.version,
      writable: database.writable,
      connector: (mustWait ? (replaced ?? Promise.resolve()) : Promise.resolve()).then(() => open(database)),
    };
    opened.set(database.id, entry);
    entry.connector.then(
      (connector) => {
        entry.ready = connector;
      },
      () => {
        if (opened.get(database.id) === entry) opened.delete(database.id);
      },
    );
    return entry;
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
      .then((connector) => connector.closeWithin(grace))
      .catch(() => {}) // it never opened, or failed to close
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

/** Stops waiting for a database that opens slowly when the call is aborted. */
async function awaitUnlessStopped<T>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
  await endsWithin(opening, undefined, signal);
  if (signal.aborted) throw new ConnectorError('cancelled', 'Stopped before it began.', { cause: signal.reason });
  return opening;
}

/** A connector that counts its active runs. */
export interface TrackedConnector extends Connector {
  /** Closes the connector when its runs have ended, at the latest after the grace. */
  closeWithin(graceMs: number): Promise<void>;
}

function trackConnector(connector: Connector): TrackedConnector {
  let running = 0;
  let whenIdle: (() => void) | undefined;

  const onEnded = (): void => {
    running--;
    if (running === 0) whenIdle?.();
  };
  async function countDuring<T>(work: Promise<T>): Promise<T> {
    running++;
    try {
      return await work;
    } finally {
      onEnded();
    }
  }

  return {
    ...connector,
    describe: (sql, parameters, signal) => countDuring(connector.describe(sql, parameters, signal)),
    checkEpilogue: (sql, parameters, signal) => countDuring(connector.checkEpilogue(sql, parameters, signal)),
    schema: (signal) => countDuring(connector.schema(signal)),
    ping: (signal) => countDuring(connector.ping(signal)),
    async run(statement, options, signal) {
      running++;
      try {
        const rows = await connector.run(statement, options, signal);
        if (rows.whole === undefined) return trackStream(rows, onEnded);
        onEnded();
        return rows;
      } catch (error) {
        onEnded();
        throw error;
      }
    },
    async closeWithin(graceMs) {
      if (running > 0 && graceMs > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        whenIdle = resolve;
        const timer = setTimeout(resolve, graceMs);
        await promise;
        clearTimeout(timer);
      }
      await connector.close();
    },
  };
}

/** A stream is active until it is read to its end, fails, or is closed. */
function trackStream(rows: RowStream, onEnded: () => void): RowStream {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    onEnded();
  };
  return observeStream(rows, { onEnd: end, onClosed: end });
}
