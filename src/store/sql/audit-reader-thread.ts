import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import type { ListPage } from '../metadata-store.ts';
import { indexNext } from './audit-index.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import { respondWith } from './ordered-worker-thread.ts';
import { postgresDialect } from './postgres-driver.ts';
import { openPool } from './postgres-pool.ts';
import { type Db, openDb } from './schema.ts';
import { sqliteDialect, sqliteDriver } from './sqlite-driver.ts';

export type AuditTrail = { readonly file: string } | { readonly url: string };
export type ReadRequest = { readonly filter: AuditFilter; readonly request: AuditListRequest } | 'index';
export type ReadResponse = { readonly more: boolean } | { readonly page: ListPage<RecordedAuditEntry> };

const trail: AuditTrail = workerData;
const kind = 'url' in trail ? 'postgres' : 'sqlite';
const db = 'url' in trail ? openPostgres(trail.url) : openSqlite(new DatabaseSync(trail.file, { readOnly: true }));
let indexDb: Db | undefined;

respondWith<ReadRequest, ReadResponse>(async (request) => {
  if (request !== 'index') return { page: await listAudit(db, kind, request.filter, request.request) };
  indexDb ??= 'url' in trail ? db : openSqliteIndex(trail.file);
  return { more: await indexNext(indexDb, kind) };
});

function openPostgres(url: string): Db {
  return openDb(postgresDialect(openPool(url, { max: 1 })));
}

function openSqlite(database: DatabaseSync): Db {
  return openDb(sqliteDialect(sqliteDriver(database)));
}

/** A separate connection, because this one writes. Commits without waiting for the disk: index rows lost in a power cut are created again. */
function openSqliteIndex(file: string): Db {
  const database = new DatabaseSync(file, { timeout: 100 });
  database.exec('pragma synchronous = normal');
  return openSqlite(database);
}
