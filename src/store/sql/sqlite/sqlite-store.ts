import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { MetadataCopy } from '../../metadata-copy.ts';
import type { MetadataStore } from '../../metadata-store.ts';
import { isScan } from '../audit/audit-list.ts';
import { auditReader, sqliteAuditWriter } from '../audit/audit-threads.ts';
import { cacheReads, createGeneration } from '../catalog/cache-reads.ts';
import { metadataCopy } from '../copy.ts';
import { openDb } from '../db.ts';
import { migrateOrClose } from '../migrations/migrate.ts';
import { sqlStore } from '../store.ts';
import { openSqliteDatabase, sqliteDialect, sqliteDriver } from './driver.ts';

const SHORT_LIST = 200; // entries that are read without the thread

export async function openSqliteStore(file: string): Promise<MetadataStore> {
  const store = await sqliteStoreOn(await openSqliteDatabase(file));
  const writer = sqliteAuditWriter(file);
  const reader = auditReader({ file });
  const counter = auditReader({ file }); // counting takes longer than searches may wait
  return {
    ...store,
    audit: {
      ...store.audit,
      append: writer.append,
      list: (filter, request) =>
        isScan(filter) || request.limit > SHORT_LIST ? reader.list(filter, request) : store.audit.list(filter, request),
      readCallers: counter.readCallers,
    },
    close: async () => {
      await reader.close();
      await counter.close();
      await writer.close();
      await store.close();
    },
  };
}

export async function openSqliteCopy(file: string): Promise<MetadataCopy> {
  const driver = sqliteDriver(await openSqliteDatabase(file));
  return metadataCopy(await migrateOrClose(openDb(sqliteDialect(driver)), 'sqlite'), 'sqlite');
}

/** Takes over an open database. */
export async function sqliteStoreOn(database: DatabaseSync): Promise<MetadataStore> {
  const generation = sqliteGeneration(database);
  const db = await migrateOrClose(openDb(sqliteDialect(sqliteDriver(database, generation.forget))), 'sqlite');
  const store = sqlStore(db, 'sqlite');
  return { ...store, ...cacheReads(store, generation) };
}

/** Null inside a transaction, whose changes may be rolled back. */
function sqliteGeneration(database: DatabaseSync) {
  let statement: StatementSync | undefined;
  const generation = createGeneration(() => {
    if (database.isTransaction) return null;
    try {
      statement ??= database.prepare('select value from catalog_generation');
      return Number(statement.get()?.value);
    } catch {
      return null; // if the store is locked or gone, the read itself waits for it or reports it
    }
  });
  return { ...generation, peek: () => (database.isTransaction ? null : generation.peek()) };
}
