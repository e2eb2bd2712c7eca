import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError, type StoreErrorKind } from '../metadata-store.ts';
import { indexNext } from './audit-index.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import type { Db, Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { sqliteDriver } from './sqlite-driver.ts';

/** A thread that reads over a connection of its own, which cannot write; the search index has another. Requests are answered in order. */
export type Reading = { readonly filter: AuditFilter; readonly request: AuditListRequest } | 'index';
export type Read =
  | { readonly more: boolean }
  | { readonly page: ListPage<RecordedAuditEntry> }
  | { readonly problem: { readonly kind: StoreErrorKind | null; readonly message: string } };

const { file }: { file: string } = workerData;
const connect = (database: DatabaseSync): Db => new Kysely<Tables>({ dialect: sqliteDialect(sqliteDriver(database)) });
const db = connect(new DatabaseSync(file, { readOnly: true }));
let indexDb: Db | undefined;
let reading: Promise<void> = Promise.resolve();

parentPort?.on('message', (asked: Reading) => {
  reading = reading.then(async () => parentPort?.postMessage(await read(asked)));
});

async function read(reading: Reading): Promise<Read> {
  try {
    if (reading === 'index') return { more: await indexNext((indexDb ??= openIndex()), 'sqlite') };
    return { page: await listAudit(db, 'sqlite', reading.filter, reading.request) };
  } catch (error) {
    const kind = error instanceof StoreError ? error.kind : null;
    return { problem: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
}

/** Commits without waiting for the disk: what a power cut takes from the index is made again. */
function openIndex(): Db {
  const database = new DatabaseSync(file, { timeout: 100 });
  database.exec('pragma synchronous = normal');
  return connect(database);
}
