import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError, type StoreErrorKind } from '../metadata-store.ts';
import { indexNext } from './audit-index.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import { type Db, openDb } from './schema.ts';
import { sqliteDialect, sqliteDriver } from './sqlite-driver.ts';

export type ReadRequest = { readonly filter: AuditFilter; readonly request: AuditListRequest } | 'index';
export type ReadResponse =
  | { readonly more: boolean }
  | { readonly page: ListPage<RecordedAuditEntry> }
  | { readonly problem: { readonly kind: StoreErrorKind | null; readonly message: string } };

const { file }: { file: string } = workerData;
const connect = (database: DatabaseSync): Db => openDb(sqliteDialect(sqliteDriver(database)));
const db = connect(new DatabaseSync(file, { readOnly: true }));
let indexDb: Db | undefined; // a separate connection, because this one writes
let reading: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: ReadRequest) => {
  reading = reading.then(async () => parentPort?.postMessage(await responseTo(request)));
});

async function responseTo(request: ReadRequest): Promise<ReadResponse> {
  try {
    if (request === 'index') return { more: await indexNext((indexDb ??= openIndex()), 'sqlite') };
    return { page: await listAudit(db, 'sqlite', request.filter, request.request) };
  } catch (error) {
    const kind = error instanceof StoreError ? error.kind : null;
    return { problem: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
}

/** Commits without waiting for the disk: index rows lost in a power cut are created again. */
function openIndex(): Db {
  const database = new DatabaseSync(file, { timeout: 100 });
  database.exec('pragma synchronous = normal');
  return connect(database);
}
