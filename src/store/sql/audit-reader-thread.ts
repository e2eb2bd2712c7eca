import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import type { AuditFilter, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import { type ListPage, StoreError, type StoreErrorKind } from '../metadata-store.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { sqliteDriver } from './sqlite-driver.ts';

/** A thread that reads over a connection of its own, which cannot write. Requests are answered in order. */
export interface Reading {
  readonly filter: AuditFilter;
  readonly request: AuditListRequest;
}
export type Read =
  | { readonly page: ListPage<RecordedAuditEntry> }
  | { readonly problem: { readonly kind: StoreErrorKind | null; readonly message: string } };

const { file }: { file: string } = workerData;
const database = new DatabaseSync(file, { readOnly: true });
const db = new Kysely<Tables>({ dialect: sqliteDialect(sqliteDriver(database)) });
let reading: Promise<void> = Promise.resolve();

parentPort?.on('message', (asked: Reading) => {
  reading = reading.then(async () => parentPort?.postMessage(await read(asked)));
});

async function read({ filter, request }: Reading): Promise<Read> {
  try {
    return { page: await listAudit(db, filter, request) };
  } catch (error) {
    const kind = error instanceof StoreError ? error.kind : null;
    return { problem: { kind, message: error instanceof Error ? error.message : String(error) } };
  }
}
