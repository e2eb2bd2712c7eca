import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { copiedTables } from '../../../src/store/sql/copy.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite/sqlite-store.ts';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { metadataStoreContract, type OpenedStore } from './metadata-store-contract.ts';

metadataStoreContract('SQLite', openedSqlite);
metadataStoreContract('PostgreSQL', openedPostgres, postgresProblem());

async function openedSqlite(): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
  const file = join(folder, 'metadata.sqlite');
  const stores = storesOf(() => openSqliteStore(file));
  const run = async (statement: string) => {
    const database = new DatabaseSync(file);
    database.exec(statement);
    database.close();
  };
  return {
    store: await stores.open(),
    openAgain: stores.open,
    execute: run,
    async empty() {
      await stores.closeOthers();
      await run(`${deletion} delete from sqlite_sequence`);
    },
    async dispose() {
      await stores.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function openedPostgres(): Promise<OpenedStore> {
  const url = await createDatabase();
  const stores = storesOf(() => openPostgresStore(url));
  return {
    store: await stores.open(),
    openAgain: stores.open,
    async execute(statement) {
      await execute(url, statement);
    },
    async empty() {
      await stores.closeOthers();
      await execute(url, `${deletion} alter sequence audit_seq restart`);
    },
    dispose: stores.close,
  };
}

// in the reverse order of a restore, because of the foreign keys
const tables = ['executions', 'guesses', 'leases', ...copiedTables.toReversed()];
const deletion = tables.map((table) => `delete from ${table};`).join(' ');

function storesOf(openStore: () => Promise<MetadataStore>) {
  const opened: MetadataStore[] = [];
  const close = async (from: number) => {
    for (const store of opened.splice(from)) await store.close();
  };
  return {
    async open() {
      const store = await openStore();
      opened.push(store);
      return store;
    },
    closeOthers: () => close(1),
    close: () => close(0),
  };
}
