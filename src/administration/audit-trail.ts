import type { AuditEntry, AuditFilter, RecordedAuditEntry } from '../audit/audit-entry.ts';
import { type Result, succeeded } from '../core/errors.ts';
import { catchStoreErrors } from '../pipeline/steps/store-failure.ts';
import type { ListPage, MetadataStore } from '../store/metadata-store.ts';
import { createBoundedWork } from './bounded-work.ts';
import { isoTime } from './iso-time.ts';

export type AuditView = Omit<AuditEntry, 'at' | 'userId'> & { readonly at: string };

// a search may scan the whole trail
const READS_AT_ONCE = 2;
const READS_WAITING = 32;

const SEARCHED_DAYS = 7;
const DAY_MS = 86_400_000;

export type AuditFormat = 'csv' | 'ndjson';

export type AuditTrail = ReturnType<typeof createAuditTrail>;

/** Callers must have checked the permission `audit.view`. */
export function createAuditTrail({ store, now }: { readonly store: Pick<MetadataStore, 'audit'>; readonly now: () => number }) {
  const bounded = createBoundedWork(READS_AT_ONCE, READS_WAITING);
  const readPage = (filter: AuditFilter, request: { limit: number; cursor?: string }) => {
    const read = () => catchStoreErrors(async () => succeeded(await store.audit.list(filter, request)));
    return filter.requestId === undefined ? bounded(read) : read(); // indexed
  };
  return {
    /** Newest first. A search for a text reads every entry of its time, so it covers the last week unless a time is given. */
    async list(filter: AuditFilter, request: { limit: number; cursor?: string }) {
      const isUnbounded = Boolean(filter.search) && filter.from === undefined && filter.requestId === undefined;
      const from = now() - SEARCHED_DAYS * DAY_MS;
      const page = await readPage(isUnbounded ? { ...filter, from } : filter, request);
      if (!page.ok) return page;
      const items = page.value.items.map(auditView);
      return succeeded({ ...page.value, items, ...(isUnbounded && { searchedFrom: isoTime(from) }) });
    },
    /** All entries that match, as chunks of a file. An error during the export is thrown: a truncated file must not look complete. */
    async export(filter: AuditFilter, format: AuditFormat): Promise<Result<AsyncIterable<string>>> {
      // read before the response starts, so that an unavailable store is reported as an error
      const first = await readPage(filter, { limit: PAGE });
      if (!first.ok) return first;
      const next = (cursor: string) => readPage(filter, { limit: PAGE, cursor });
      return succeeded(fileOf(first.value, next, forms[format]));
    },
  };
}

const PAGE = 1000;

interface Form {
  readonly head: string;
  line(entry: AuditView): string;
}

async function* fileOf(
  first: ListPage<RecordedAuditEntry>,
  next: (cursor: string) => Promise<Result<ListPage<RecordedAuditEntry>>>,
  { head, line }: Form,
): AsyncGenerator<string> {
  yield head;
  for (let page = first; ;) {
    yield page.items.map((entry) => line(auditView(entry))).join('');
    if (page.nextCursor === null) return;
    const read = await next(page.nextCursor);
    if (!read.ok) throw 'cause' in read.failure ? read.failure.cause : new Error(`The audit trail: ${read.failure.kind}`);
    page = read.value;
  }
}

const columns = [
  'at',
  'requestId',
  'user',
  'apiKey',
  'action',
  'query',
  'queryVersion',
  'parameters',
  'channel',
  'outcome',
  'status',
  'rows',
  'bytes',
  'durationMs',
  'address',
  'client',
  'cached',
  'error', // it and those below are last, so that readers by position keep working
  'kind',
  'viewer',
  'application',
] as const satisfies readonly (keyof AuditView)[];

function auditView({ seq, userId, ...entry }: RecordedAuditEntry): AuditView {
  return { ...entry, at: isoTime(entry.at) };
}

const cells = (entry: AuditView): string[] =>
  columns.map((column) => {
    const value = entry[column];
    if (value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  });

const csvLine = (row: readonly string[]): string => `${row.map(csvCell).join(',')}\r\n`;

const forms: Readonly<Record<AuditFormat, Form>> = {
  csv: { head: csvLine(columns), line: (entry) => csvLine(cells(entry)) },
  ndjson: { head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
};

/**
 * RFC 4180. Cells that a spreadsheet would run as a formula get an apostrophe, as in row exports: strangers choose user names
 * and clients.
 */
function csvCell(text: string): string {
  // also for readers with another separator, see results/encode/csv.ts
  const inside = text.replace(/([;\t|\r\n])(?="*[=+\-@＝＋－＠])/g, "$1'");
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${inside}` : inside;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
