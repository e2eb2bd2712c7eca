import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { standardSql } from '../catalog/sql-dialect.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';
import { type Connector, ConnectorError, type Engine, type OpenRequest } from './connector.ts';
import { createConnections } from './registry.ts';

test('opens a database once for simultaneous callers, with its secrets', async () => {
  const { connections, opens } = setUp();
  const [one, other] = await Promise.all([connections.connectorFor(database()), connections.connectorFor(database())]);
  expect(one).toBe(other);
  expect(opens.map(({ request }) => request.connection)).toEqual([{ host: 'here', password: 'secret of db' }]);
});

test('opens again when the record has changed, while runs on the old connector continue', async () => {
  const { connections, opens } = setUp();
  const old = await connections.connectorFor(database());
  const rows = await old.run({ sql: '', parameters: [] }, { timeoutMs: 1 }, new AbortController().signal);
  const current = await connections.connectorFor(database({ version: 2 }));
  expect(current).not.toBe(old);
  expect(await connections.connectorFor(database({ version: 1 }))).toBe(current);
  await settle();
  expect(opens.map((open) => open.closed)).toEqual([false, false]);
  for await (const _ of rows.batches());
  await settle();
  expect(opens.map((open) => open.closed)).toEqual([true, false]);
});

test('closes the old connector after the grace, even if runs are active', async () => {
  const { connections, opens } = setUp({ graceMs: 20 });
  const old = await connections.connectorFor(database());
  await old.run({ sql: '', parameters: [] }, { timeoutMs: 1 }, new AbortController().signal);
  await connections.connectorFor(database({ version: 2 }));
  await expect.poll(() => opens[0]?.closed).toBe(true);
});

test('opens a writable database only after the old connector is closed', async () => {
  const { connections, opens } = setUp({ graceMs: 20 });
  const old = await connections.connectorFor(database({ writable: true }));
  await old.run({ sql: '', parameters: [] }, { timeoutMs: 1 }, new AbortController().signal);
  const reopened = connections.connectorFor(database({ version: 2 }));
  await settle();
  expect(opens).toHaveLength(1);
  await reopened;
  expect(opens.map((open) => open.closed)).toEqual([true, false]);
});

test('opens again although the old connector fails to close', async () => {
  const { connections, opens } = setUp();
  await connections.connectorFor(database({ writable: true }));
  for (const open of opens) open.failsToClose = true;
  await connections.connectorFor(database({ writable: true, version: 2 }));
  expect(opens.map((open) => open.closed)).toEqual([true, false]);
  await connections.closeAll();
});

test('does not cache a failed opening', async () => {
  const { connections, opens, failNext } = setUp();
  failNext();
  await expect(connections.connectorFor(database())).rejects.toMatchObject({ kind: 'unavailable' });
  await connections.connectorFor(database());
  expect(opens).toHaveLength(1);
});

test('stops waiting for a caller that leaves while a database opens, and not for others', async () => {
  const { connections, opens } = setUp();
  const leaving = new AbortController();
  const left = connections.connectorFor(database(), leaving.signal);
  const stayed = connections.connectorFor(database(), new AbortController().signal);
  leaving.abort(new Error('the caller left'));
  await expect(left).rejects.toMatchObject({ kind: 'cancelled', cause: { message: 'the caller left' } });
  await stayed;
  expect(opens).toHaveLength(1);
  expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
});

test('refuses a kind that does not exist', async () => {
  const { connections } = setUp();
  for (const kind of ['nosuch', 'constructor']) {
    await expect(connections.connectorFor(database({ kind }))).rejects.toMatchObject({ kind: 'unavailable' });
  }
});

test('closes a forgotten connector, and all of them', async () => {
  const { connections, opens } = setUp();
  await connections.connectorFor(database({ id: 'a' }));
  await connections.connectorFor(database({ id: 'b' }));
  await connections.forget('a');
  await connections.forget('unknown');
  expect(opens.map((open) => open.closed)).toEqual([true, false]);
  await connections.closeAll();
  expect(opens.map((open) => open.closed)).toEqual([true, true]);
});

interface Open {
  readonly request: OpenRequest;
  closed: boolean;
  failsToClose?: boolean;
}

function setUp({ graceMs = 10_000 } = {}) {
  const opens: Open[] = [];
  let failing = false;
  const engine: Engine = {
    kind: 'plain',
    label: 'Plain',
    connection: 'file',
    settings: [],
    dialect: standardSql,
    choices: null,
    errorCodes: {},
    placeholders: { bound: 1000, written: 1000 },
    secretFields: ['password'],
    check: () => [],
    async open(request) {
      await settle();
      if (failing) {
        failing = false;
        throw new ConnectorError('unavailable', 'not today');
      }
      const open: Open = { request, closed: false };
      opens.push(open);
      return plainConnector(open);
    },
  };
  const connections = createConnections({
    engines: [engine],
    graceMs,
    openSecrets: ({ name }) => ({ password: `secret of ${name}` }),
    context: { fileFolders: [], trustedFiles: [], dataFolder: '', scratchFolder: '', connections: 1 },
  });
  const failNext = (): void => {
    failing = true;
  };
  return { connections, opens, failNext };
}

/** The smallest thing that is a connector: every query has no rows. */
function plainConnector(open: Open): Connector {
  return {
    describe: async () => [],
    checkEpilogue: async () => {},
    run: async () => ({ columns: [], async *batches() {}, close: async () => {} }),
    schema: async () => ({ tables: [], truncated: false }),
    ping: async () => [],
    close: async () => {
      open.closed = true;
      if (open.failsToClose) throw new Error('The connection was lost.');
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function database(changes: Partial<DatabaseRecord> = {}): DatabaseRecord {
  return {
    id: 'db',
    name: 'db',
    kind: 'plain',
    connection: { host: 'here' },
    sealedSecrets: null,
    settings: {},
    description: '',
    disabled: false,
    writable: false,
    builtIn: false,
    version: 1,
    createdAt: 0,
    deletedAt: null,
    ...changes,
  };
}
