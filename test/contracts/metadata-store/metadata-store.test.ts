import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataStore } from '../../../src/store/metadata-store.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite.ts';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { metadataStoreContract, type OpenedStore } from './metadata-store-contract.ts';

metadataStoreContract('SQLite', openedSqlite);
metadataStoreContract('PostgreSQL', openedPostgres, postgresProblem());

async function openedSqlite(): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-store-'));
  const file = join(folder, 'metadata.sqlite');
  const stores = storesOf(() => openSqliteStore(file));
  return {
    store: await stores.open(),
    openAgain: stores.open,
    async execute(statement) {
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
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
    dispose: stores.close,
  };
}

function storesOf(openStore: () => Promise<MetadataStore>) {
  const opened: MetadataStore[] = [];
  return {
    async open() {
      const store = await openStore();
      opened.push(store);
      return store;
    },
    async close() {
      for (const store of opened) await store.close();
    },
  };
}
