import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import type { CallersRequest, ListPage, QueryCallers } from '../../metadata-store.ts';
import { openDb } from '../db.ts';
import { sqliteDialect, sqliteDriver } from '../sqlite/driver.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import { readCallers } from './query-callers.ts';
import { respondWith } from './respond-with.ts';

export interface AuditFile {
  readonly file: string;
}

export type ReadRequest =
  | { readonly list: { readonly filter: AuditFilter; readonly request: AuditListRequest } }
  | { readonly callers: CallersRequest };

export type ReadResponse = { readonly page: ListPage<RecordedAuditEntry> } | QueryCallers;

const { file }: AuditFile = workerData;
const db = openDb(sqliteDialect(sqliteDriver(new DatabaseSync(file, { readOnly: true }))));

respondWith<ReadRequest, ReadResponse>(async (read) =>
  'callers' in read
    ? readCallers(db, 'sqlite', read.callers)
    : { page: await listAudit(db, 'sqlite', read.list.filter, read.list.request) },
);
