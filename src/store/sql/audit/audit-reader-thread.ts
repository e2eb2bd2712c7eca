import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { AuditFilter, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import type { ListPage } from '../../metadata-store.ts';
import { openDb } from '../db.ts';
import { sqliteDialect, sqliteDriver } from '../sqlite/driver.ts';
import { type AuditListRequest, listAudit } from './audit-list.ts';
import { respondWith } from './respond-with.ts';

export interface AuditFile {
  readonly file: string;
}

export interface ReadRequest {
  readonly filter: AuditFilter;
  readonly request: AuditListRequest;
}

const { file }: AuditFile = workerData;
const db = openDb(sqliteDialect(sqliteDriver(new DatabaseSync(file, { readOnly: true }))));

respondWith<ReadRequest, ListPage<RecordedAuditEntry>>(({ filter, request }) => listAudit(db, 'sqlite', filter, request));
