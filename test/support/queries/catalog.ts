import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { createKeyRing } from '../../../src/access/key-ring.ts';
import { createSecretBox } from '../../../src/access/secret-box.ts';
import { createDatabaseSecrets } from '../../../src/administration/databases/database-connection.ts';
import { createDatabaseProbe } from '../../../src/administration/databases/database-probe.ts';
import { createDatabases } from '../../../src/administration/databases/databases.ts';
import { createFavorites } from '../../../src/administration/queries/favorites.ts';
import { createPreview } from '../../../src/administration/queries/preview.ts';
import { createQueries } from '../../../src/administration/queries/queries.ts';
import { createQueryChanges } from '../../../src/administration/queries/query-changes.ts';
import type { QueryInput } from '../../../src/administration/queries/query-definition.ts';
import { createQueryLifecycle } from '../../../src/administration/queries/query-lifecycle.ts';
import { createQueryVersions } from '../../../src/administration/queries/query-versions.ts';
import { emptyQuery } from '../../../src/catalog/query-fields.ts';
import { standardSql } from '../../../src/catalog/sql-dialect.ts';
import { UTC } from '../../../src/catalog/time-zone.ts';
import { readConfig } from '../../../src/config/config.ts';
import { ConnectorError, type Engine } from '../../../src/connectors/connector.ts';
import { engines as allEngines } from '../../../src/connectors/engines.ts';
import { createConnections } from '../../../src/connectors/registry.ts';
import { unlimited } from '../../../src/core/concurrency/lease.ts';
import { succeeded } from '../../../src/core/errors.ts';
import { createExecutions } from '../../../src/pipeline/executions.ts';
import { createKeySlots } from '../../../src/pipeline/limits/key-limits.ts';
import { createKeyRows, createRowQuota } from '../../../src/pipeline/limits/row-quota.ts';
import type { DatabaseRecord } from '../../../src/store/metadata-store.ts';
import { expectSuccess, NOW, createNote, openPeople } from '../people/people.ts';

export type Catalog = Awaited<ReturnType<typeof openCatalog>>;

/** People, the databases Sales (read-only) and Ledger (writable), and the use-cases of the catalog. */
export async function openCatalog() {
  const people = await openPeople();
  const { store } = people;
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const context = {
    fileFolders: [folder],
    trustedFiles: [],
    dataFolder: join(folder, 'data'),
    scratchFolder: join(folder, 'scratch'),
    connections: 4,
  };
  await mkdir(context.dataFolder);
  await mkdir(context.scratchFolder);
  const engines = [...allEngines, guarded];
  const secrets = createDatabaseSecrets(createSecretBox(createKeyRing(() => [Buffer.alloc(32, 7)])));
  const connections = createConnections({ context, openSecrets: secrets.openSecrets, engines });
  const shared = { store, connections, now: () => NOW };
  const databaseParts = { ...shared, engines, secrets, context };

  for (const name of ['sales', 'ledger']) await writeFile(join(folder, `${name}.duckdb`), await (orders ??= fill()));
  const sales = await store.databases.get('sales');
  if (sales === null) throw new Error('no Sales');
  await store.databases.update({ ...sales, connection: { file: 'sales.duckdb' }, version: 2 });
  await store.databases.insert({ ...sales, id: 'ledger', name: 'Ledger', connection: { file: 'ledger.duckdb' }, writable: true });

  const queries = createQueries({ ...shared, namePrefix: 'QD', flushRuns: async () => undefined });
  const lifecycle = createQueryLifecycle({ ...shared, providerAttributes: new Set() });
  const executions = createExecutions();
  const admin = await people.as('admin');
  return {
    people,
    store,
    folder,
    admin,
    secrets,
    connections,
    queries,
    lifecycle,
    versions: createQueryVersions(shared),
    changes: createQueryChanges({ ...shared, settings: () => ({ auditRetentionDays: 0 }) }),
    favorites: createFavorites(shared),
    databases: createDatabases(databaseParts),
    probe: createDatabaseProbe(databaseParts),
    executions,
    preview: createPreview({
      ...shared,
      executions,
      readClock: () => ({ now: NOW, zone: UTC }),
      enter: async () => succeeded({ ...unlimited, releaseUser: () => undefined }),
      rowQuota: createRowQuota(createKeyRows(store.apiKeys, shared.now), () => readConfig({}), shared.now),
      keySlots: createKeySlots(() => readConfig({})),
    }),
    async database(id: string): Promise<DatabaseRecord> {
      const found = await store.databases.get(id);
      if (found === null) throw new Error(`no database ${id}`);
      return found;
    },
    async draft(changes: Partial<QueryInput> = {}) {
      return expectSuccess(await queries.create(admin, { ...regionSales, ...changes }, createNote()));
    },
    async createActive(changes: Partial<QueryInput> = {}) {
      const { id } = expectSuccess(await queries.create(admin, { ...regionSales, ...changes }, createNote()));
      expectSuccess(await lifecycle.validate(admin, id, undefined, new AbortController().signal, createNote()));
      return expectSuccess(await lifecycle.activate(admin, id, undefined, createNote()));
    },
    async close() {
      await connections.closeAll();
      await people.close();
      await rm(folder, { recursive: true });
    },
  };
}

export const regionSales: QueryInput = {
  ...emptyQuery,
  name: 'Region Sales',
  aiAccess: undefined,
  database: 'Sales',
  sql: 'select region, sum(amount) as total from orders where region = @Region group by region',
  parameters: [{ name: '@Region', dataType: 'nvarchar(50)', required: true }],
};

/** An unreachable engine with a password. */
const guarded: Engine = {
  kind: 'guarded',
  label: 'Guarded',
  connection: { port: 1 },
  settings: [],
  dialect: standardSql,
  choices: null,
  placeholders: { bound: 1000, written: 1000 },
  errorCodes: {},
  secretFields: ['password'],
  check: ({ connection }) => (typeof connection.host === 'string' ? [] : [{ field: 'host', message: 'Name the host.' }]),
  open: async ({ connection }) => {
    throw new ConnectorError('unavailable', `no answer from ${String(connection.host)}`);
  },
};

let orders: Promise<Buffer> | null = null;

/** A database file, made once per process. */
async function fill(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  const file = join(folder, 'orders.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run('create table orders (id bigint, region varchar not null, amount decimal(20, 2))');
  await connection.run("insert into orders values (1, 'North', 10.50), (2, 'North', 2), (9007199254740993, 'South', 0.10)");
  await connection.run('create view big_orders as select * from orders where amount > 5');
  connection.closeSync();
  instance.closeSync();
  const bytes = await readFile(file);
  await rm(folder, { recursive: true });
  return bytes;
}
