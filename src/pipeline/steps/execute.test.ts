import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNote, expectSuccess, failureOf } from '../../../test/support/people/people.ts';
import { type Catalog, openCatalog } from '../../../test/support/queries/catalog.ts';
import { readConfig } from '../../config/config.ts';
import { type Connections, type Connector, ConnectorError } from '../../connectors/connector.ts';
import { unlimited } from '../../core/concurrency/lease.ts';
import { succeeded } from '../../core/errors.ts';
import { CellTooLargeError } from '../../results/encode/json-rows.ts';
import type { RowStream } from '../../results/row-stream.ts';
import { SnapshotStoppedError, SnapshotStorageError } from '../../results/snapshot/stop.ts';
import type { Authorized, QueryForm } from '../authorized.ts';
import { createExecutions, type Executions } from '../executions.ts';
import { type Admission, createAdmission } from '../limits/admission.ts';
import { createKeySlots } from '../limits/key-limits.ts';
import { createExecute, type Execute, executionFailure, maskErrors, withMaskedErrors } from './execute.ts';

let catalog: Catalog;
let authorized: Authorized<QueryForm>;
let leaving: AbortController;
let admission: Admission;
let executions: Executions;
const config = () => readConfig({});

beforeAll(async () => {
  catalog = await openCatalog();
});
afterAll(() => catalog.close());
beforeEach(() => {
  leaving = new AbortController();
  admission = createAdmission({ perDatabase: 2, perUser: 2, inAll: 2, queue: 10, queueMs: 5000 });
  executions = createExecutions();
});

/** An authorized call of a query with this SQL. */
async function calling(sql: string, name = `Q ${sql.length}`): Promise<Authorized<QueryForm>> {
  const known = await catalog.store.queries.byQueryName(`QD_${name.replaceAll(' ', '_')}_Sales`);
  const { id } = known ?? (await catalog.createActive({ name, sql, parameters: [] }));
  const query = await catalog.store.queries.get(id);
  if (query === null) throw new Error('no query');
  const call = {
    requestId: 'r1',
    channel: 'rest',
    credential: { kind: 'none' },
    address: '',
    client: null,
    startedAt: 0,
    onEnd: () => undefined,
    signal: leaving.signal,
  } as const;
  const draft = {
    ...createNote(),
    action: '',
    principal: null,
    triedUser: null,
    query: null,
    queryVersion: null,
    rows: null,
    bytes: null,
    status: 200,
  };
  const database = await catalog.database('sales');
  return {
    call,
    form: { run: { queryName: query.queryName }, parameters: [] },
    position: null,
    principal: catalog.admin,
    query,
    database,
    pin: null,
    values: [],
    draft,
    allowance: { ...unlimited, hold: async (rows) => succeeded(rows), holdAll: async () => undefined, settle: () => undefined },
    response: { claim: () => succeeded(null) },
  };
}
const executeOn = ({ connectorFor }: Pick<Connections, 'connectorFor'>): Execute =>
  createExecute({
    admission,
    keySlots: createKeySlots(config),
    executions,
    config,
    connections: { ...catalog.connections, connectorFor },
  });
const nothingIsLeft = () => {
  expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
  expect(executions.list()).toEqual([]);
  expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
};
async function rowsOf(stream: RowStream): Promise<number> {
  let rows = 0;
  for await (const batch of stream.batches()) rows += batch.length;
  return rows;
}

const LONG = 'select count(*) as n from range(100000000000) a(i), range(100) b(j) where (i * j) % 7 = 3';

describe('an execution', () => {
  it('holds its slot and is listed until its rows are closed', async () => {
    authorized = await calling('select * from range(500000)', 'Half a Million');
    const execution = expectSuccess(await executeOn(catalog.connections)(authorized));
    expect(admission.counts().running).toBe(1);
    expect(executions.list()).toMatchObject([
      { id: execution.id, query: 'QD_Half_a_Million_Sales', user: 'admin', state: 'running' },
    ]);
    expect(await rowsOf(execution.rows)).toBe(500_000);
    expect(executions.get(execution.id)?.rows).toBe(500_000);
    await execution.rows.close();
    await execution.rows.close();
    nothingIsLeft();
  });

  it('is rejected before it waits if its key is over its limit, until another one has ended', async () => {
    authorized = await calling('select * from range(500000)', 'Half a Million');
    const authentication = {
      kind: 'key',
      keyId: 'k',
      keyName: 'k',
      expiresAt: null,
      queries: null,
      limits: { concurrent: 1 },
    } as const;
    const byKey = { ...authorized, principal: { ...authorized.principal, authentication } };
    const execute = executeOn(catalog.connections);
    const first = expectSuccess(await execute(byKey));
    expect(failureOf(await execute(byKey))).toEqual({ kind: 'KeyBusy', most: 1, retryAfterSeconds: 1 });
    await expectSuccess(await execute(authorized)).rows.close();
    first.continueInBackground();
    await expectSuccess(await execute(byKey)).rows.close();
    await first.rows.close();
    await expectSuccess(await execute(byKey)).rows.close();
    nothingIsLeft();
  });

  it('is cancelled in the database when its caller disconnects', async () => {
    authorized = await calling(LONG, 'Long');
    setTimeout(() => leaving.abort(), 100);
    const result = await executeOn(catalog.connections)(authorized);
    const failure = result.ok
      ? executionFailure(
          await rowsOf(result.value.rows).then(
            () => null,
            (error: unknown) => error,
          ),
        )
      : result.failure;
    if (result.ok) await result.value.rows.close();
    expect(failure.kind).toBe('QueryCancelled');
    nothingIsLeft();
  });

  it('continues in the background without its caller, and can still be cancelled by a user', async () => {
    authorized = await calling('select * from range(3000000)', 'Millions');
    const execution = expectSuccess(await executeOn(catalog.connections)(authorized));
    execution.continueInBackground();
    expect(executions.get(execution.id)?.state).toBe('draining');
    leaving.abort();
    const batches = execution.rows.batches()[Symbol.asyncIterator]();
    expect((await batches.next()).done).toBe(false);
    expect(executions.cancel(execution.id)).toBe(true);
    await expect(rowsOf({ ...execution.rows, batches: () => ({ [Symbol.asyncIterator]: () => batches }) })).rejects.toThrow();
    await execution.rows.close();
    nothingIsLeft();
  });
});

describe('nothing is left of an execution', () => {
  it('whose caller has already disconnected', async () => {
    authorized = await calling('select 1 as one', 'One');
    leaving.abort();
    expect(failureOf(await executeOn(catalog.connections)(authorized)).kind).toBe('QueryCancelled');
    expect(admission.counts()).toEqual({ running: 0, waiting: 0 });
    expect(executions.list()).toEqual([]);
  });

  it('that a user cancels while it waits for a slot', async () => {
    authorized = await calling('select * from range(500000)', 'Half a Million');
    const execute = executeOn(catalog.connections);
    const held = [expectSuccess(await execute(authorized)), expectSuccess(await execute(authorized))];
    const waiting = execute(authorized);
    const findThird = () => executions.list().find((each) => each.state === 'waiting');
    await expect.poll(findThird).toBeDefined();
    expect(executions.cancel(findThird()?.id ?? '')).toBe(true);
    expect(failureOf(await waiting).kind).toBe('QueryCancelled');
    for (const each of held) await each.rows.close();
    nothingIsLeft();
  });

  it.each([
    [
      'throws at once',
      () => {
        throw new ConnectorError('unavailable', 'no such kind');
      },
    ],
    ['cannot be opened', () => Promise.reject(new ConnectorError('unavailable', 'no response'))],
  ])('whose connector %s', async (_, connectorFor) => {
    authorized = await calling('select 1 as one', 'One');
    expect(failureOf(await executeOn({ connectorFor })(authorized)).kind).toBe('DatabaseUnavailable');
    nothingIsLeft();
  });

  it('whose caller disconnects while the database does not open', async () => {
    authorized = await calling('select 1 as one', 'One');
    const connectorFor = (_: unknown, signal?: AbortSignal) =>
      new Promise<Connector>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new ConnectorError('cancelled', 'stopped', { cause: signal.reason })));
      });
    const opening = executeOn({ connectorFor })(authorized);
    setTimeout(() => leaving.abort(), 10);
    expect(failureOf(await opening).kind).toBe('QueryCancelled');
    nothingIsLeft();
  });

  it('whose rows fail while they are closed', async () => {
    authorized = await calling('select 1 as one', 'One');
    const real = await catalog.connections.connectorFor(authorized.database);
    const breaking: Connector = {
      ...real,
      run: async (...args) => {
        const rows = await real.run(...args);
        const close = async () => {
          await rows.close();
          throw new Error('the socket is gone');
        };
        return { columns: rows.columns, batches: () => rows.batches(), close };
      },
    };
    const { rows } = expectSuccess(await executeOn({ connectorFor: async () => breaking })(authorized));
    await expect(rows.close()).rejects.toThrow('the socket is gone');
    nothingIsLeft();
  });
});

it.each([
  [new ConnectorError('timeout', ''), 'QueryTimedOut'],
  [new ConnectorError('cancelled', ''), 'QueryCancelled'],
  [new ConnectorError('unavailable', ''), 'DatabaseUnavailable'],
  [new ConnectorError('failed', ''), 'QueryFailed'],
  [new ConnectorError('invalid', ''), 'QueryFailed'],
  [new CellTooLargeError('body', 1 << 20), 'CellTooLarge'],
  [new SnapshotStorageError(new Error('disk full')), 'StoreUnavailable'],
  [new SnapshotStoppedError(), 'ShuttingDown'],
  [new TypeError('a defect'), 'Internal'],
] as const)('tells %s as %s', (cause, kind) => {
  expect(executionFailure(cause)).toEqual({ kind, cause });
});

const declared = [
  { name: '@Pin', dataType: 'text', required: true, masked: true },
  { name: '@Shown', dataType: 'text', required: true },
] as const;
const values = [
  { name: '@Pin', type: { name: 'text' }, value: '4711' },
  { name: '@Shown', type: { name: 'text' }, value: 'plain' },
] as const;

it('replaces a masked value by *** in a database error, and drops its cause', () => {
  const mask = maskErrors(declared, values);
  const masked = mask?.(new ConnectorError('failed', "no integer: '4711', 'plain'", { cause: new Error('4711') }));
  expect(masked).toMatchObject({ kind: 'failed', message: "no integer: '***', 'plain'" });
  expect(masked instanceof Error && masked.cause).toBeUndefined();
});

it('does so for an error after rows', async () => {
  const broken = {
    columns: [],
    // oxlint-disable-next-line require-yield -- it breaks before its first batch
    async *batches() {
      throw new ConnectorError('failed', 'bad 4711');
    },
    close: async () => {},
  };
  const rows = withMaskedErrors(broken, maskErrors(declared, values));
  await expect(rows.batches()[Symbol.asyncIterator]().next()).rejects.toThrow('bad ***');
});

it('returns null without masked values', () => {
  expect(maskErrors(declared, values.slice(1))).toBeNull();
});
