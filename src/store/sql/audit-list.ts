import { type Selectable, sql } from 'kysely';
import type { AuditFilter, Channel, Outcome, RecordedAuditEntry } from '../../audit/audit-entry.ts';
import type { ListPage } from '../metadata-store.ts';
import { fold } from './fold.ts';
import { contains, isWhole, pageOf, readCursor, writeCursor } from './list-page.ts';
import type { Db, Tables } from './schema.ts';

export interface AuditListRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/** No index serves parts of texts, and few entries may match: so many are looked at by one statement, for so long by one call. */
interface ScanBounds {
  readonly entries: number;
  readonly ms: number;
}

const scanBounds: ScanBounds = { entries: 20_000, ms: 3_000 };

/** Whether the list may have to look at many more entries than it returns. */
export const isScan = (filter: AuditFilter): boolean =>
  filter.requestId === undefined &&
  (Boolean(filter.search) ||
    filter.channel !== undefined ||
    filter.outcome !== undefined ||
    (filter.user !== undefined && filter.query !== undefined));

/** Newest first. A scan that takes too long ends with the entries that it found, perhaps none, and the cursor to go on from. */
export async function listAudit(
  db: Db,
  filter: AuditFilter,
  { limit, cursor }: AuditListRequest,
  bounds = scanBounds,
): Promise<ListPage<RecordedAuditEntry>> {
  const deadline = performance.now() + bounds.ms;
  const found: Row[] = [];
  let before = readCursor(cursor, isWhole, isWhole);
  for (;;) {
    const end = isScan(filter) ? await endOfPart(db, filter, before, bounds.entries) : null;
    found.push(...(await entriesBetween(db, filter, before, end, limit + 1 - found.length)));
    if (found.length > limit || end === null) return pageOf(found, limit, (row) => [row.at, row.seq], entryOf);
    if (performance.now() > deadline) return { items: found.map(entryOf), nextCursor: writeCursor(end) };
    before = end;
  }
}

type Row = Selectable<Tables['audit']>;
type Position = readonly [at: number, seq: number];

async function entriesBetween(
  db: Db,
  filter: AuditFilter,
  before: Position | null,
  end: Position | null,
  limit: number,
): Promise<readonly Row[]> {
  return filtered(db, filter)
    .$if(before !== null, (query) => query.where(sql<boolean>`(at, seq) < (${before?.[0]}, ${before?.[1]})`))
    .$if(end !== null, (query) => query.where(sql<boolean>`(at, seq) >= (${end?.[0]}, ${end?.[1]})`))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** The position of the last entry of a part, by an index alone; null where the rest is smaller than that. */
async function endOfPart(db: Db, filter: AuditFilter, before: Position | null, entries: number): Promise<Position | null> {
  let query = inTime(db, filter).select(['at', 'seq']);
  if (filter.user !== undefined) query = query.where('user_key', '=', fold(filter.user));
  else if (filter.query !== undefined) query = query.where('query', '=', filter.query);
  const last = await query
    .$if(before !== null, (some) => some.where(sql<boolean>`(at, seq) < (${before?.[0]}, ${before?.[1]})`))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .offset(entries - 1)
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? null : [last.at, last.seq];
}

function inTime(db: Db, { from, to }: AuditFilter) {
  let query = db.selectFrom('audit');
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  return query;
}

function filtered(db: Db, filter: AuditFilter) {
  let query = inTime(db, filter).selectAll();
  if (filter.user !== undefined) query = query.where('user_key', '=', fold(filter.user));
  if (filter.query !== undefined) query = query.where('query', '=', filter.query);
  if (filter.channel !== undefined) query = query.where('channel', '=', filter.channel);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  if (filter.requestId !== undefined) query = query.where('request_id', '=', filter.requestId);
  if (filter.search) {
    const { search } = filter;
    // the entry has the user name alone: people are also looked for by the full name that they have now
    const named = db.selectFrom('users').select('id').where(contains('search_text', search));
    query = query.where((is) => is.or([contains('audit.search_text', search), is('user_id', 'in', named)]));
  }
  return query;
}

export const entryOf = (row: Row): RecordedAuditEntry => ({
  seq: row.seq,
  at: row.at,
  requestId: row.request_id,
  userId: row.user_id,
  user: row.user_name,
  apiKey: row.api_key,
  action: row.action,
  query: row.query,
  queryVersion: row.query_version,
  parameters: row.parameters === null ? null : JSON.parse(row.parameters),
  channel: row.channel as Channel, // as we wrote it
  outcome: row.outcome as Outcome,
  status: row.status,
  error: row.error,
  rows: row.row_count,
  bytes: row.byte_count,
  durationMs: row.duration_ms,
  address: row.address,
  client: row.client,
  cached: row.cached === 1,
});
