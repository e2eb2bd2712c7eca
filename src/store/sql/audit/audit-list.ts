import { type RawBuilder, sql } from 'kysely';
import type { AuditFilter, RecordedAuditEntry } from '../../../audit/audit-entry.ts';
import type { ListPage } from '../../metadata-store.ts';
import type { Db, RowOf } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';
import { contains, isWhole, pageOf, readCursor, writeCursor } from '../statements/list-page.ts';
import { normalizeText } from '../statements/normalize-text.ts';
import { entryOf } from './audit-row.ts';

export interface AuditListRequest {
  readonly limit: number;
  readonly cursor?: string;
}

/** If few entries match, a list reads many. These bound the entries per statement and the time per call. */
interface ScanBounds {
  readonly entries: number;
  readonly ms: number;
}

const scanBounds: ScanBounds = { entries: 20_000, ms: 3_000 };

/** Whether the list may have to read many more entries than it returns. */
export const isScan = (filter: AuditFilter): boolean =>
  filter.requestId === undefined &&
  (Boolean(filter.search) ||
    filter.action !== undefined ||
    filter.channel !== undefined ||
    filter.outcome !== undefined ||
    (filter.user !== undefined && filter.query !== undefined));

/** Newest first. A scan that takes too long returns the entries that it found, perhaps none, and a cursor to continue from. */
export async function listAudit(
  db: Db,
  kind: SqlKind,
  filter: AuditFilter,
  { limit, cursor }: AuditListRequest,
  bounds = scanBounds,
): Promise<ListPage<RecordedAuditEntry>> {
  const deadline = performance.now() + bounds.ms;
  const found: Row[] = [];
  for (let before = readCursor(cursor, isWhole, isWhole); ;) {
    const end = isScan(filter) ? await endOfPart(db, kind, filter, before, bounds.entries) : null;
    found.push(...(await entriesOf(db, kind, filter, { before, end }, limit + 1 - found.length)));
    if (found.length > limit || end === null) return pageOf(found, limit, (row) => [row.at, row.seq], entryOf);
    if (performance.now() > deadline) return { items: found.map(entryOf), nextCursor: writeCursor(end) };
    before = end;
  }
}

type Row = RowOf<'audit'>;
type Position = readonly [at: number, seq: number];

/** The entries before a position, down to another one; null: to the newest or the oldest. */
interface Part {
  readonly before: Position | null;
  readonly end: Position | null;
}

async function entriesOf(
  db: Db,
  kind: SqlKind,
  filter: AuditFilter,
  { before, end }: Part,
  limit: number,
): Promise<readonly Row[]> {
  return filterEntries(db, kind, filter)
    .where(isBefore(kind, before))
    .where(isFrom(kind, end))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** PostgreSQL chooses the partitions to read by `at` alone, not by a pair. */
function isBefore(kind: SqlKind, before: Position | null): RawBuilder<boolean> {
  if (before === null) return sql`1 = 1`;
  const [at, seq] = before;
  return kind === 'postgres' ? sql`(at <= ${at} and (at, seq) < (${at}, ${seq}))` : sql`(at, seq) < (${at}, ${seq})`;
}

function isFrom(kind: SqlKind, end: Position | null): RawBuilder<boolean> {
  if (end === null) return sql`1 = 1`;
  const [at, seq] = end;
  return kind === 'postgres' ? sql`(at >= ${at} and (at, seq) >= (${at}, ${seq}))` : sql`(at, seq) >= (${at}, ${seq})`;
}

/** The position of the last entry of a part, from an index alone; null if fewer entries are left. */
async function endOfPart(
  db: Db,
  kind: SqlKind,
  filter: AuditFilter,
  before: Position | null,
  entries: number,
): Promise<Position | null> {
  let query = limitTime(db, filter).select(['at', 'seq']);
  if (filter.user !== undefined) query = query.where('userKey', '=', normalizeText(filter.user));
  else if (filter.query !== undefined) query = query.where('query', '=', filter.query);
  const last = await query
    .where(isBefore(kind, before))
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .offset(entries - 1)
    .limit(1)
    .executeTakeFirst();
  return last === undefined ? null : [last.at, last.seq];
}

function limitTime(db: Db, { from, to }: AuditFilter, entries: RawBuilder<unknown> = sql`audit`) {
  let query = db.selectFrom(entries.$castTo<Row>().as('audit'));
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  return query;
}

function filterEntries(db: Db, kind: SqlKind, filter: AuditFilter) {
  const { requestId } = filter;
  // before PostgreSQL has statistics of a month, it would read the month by time instead: `offset 0` keeps the other conditions out of the choice of an index
  const isKnown = kind === 'postgres' && requestId !== undefined;
  let query = limitTime(
    db,
    filter,
    isKnown ? sql`(select * from audit where request_id = ${requestId} offset 0)` : sql`audit`,
  ).selectAll();
  if (filter.user !== undefined) query = query.where('userKey', '=', normalizeText(filter.user));
  if (filter.query !== undefined) query = query.where('query', '=', filter.query);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.channel !== undefined) query = query.where('channel', '=', filter.channel);
  if (filter.outcome !== undefined) query = query.where('outcome', '=', filter.outcome);
  if (filter.requestId !== undefined) query = query.where('requestId', '=', filter.requestId);
  if (filter.search) {
    const { search } = filter;
    // entries have the user name only; a search also finds users by their current full name
    const named = db.selectFrom('users').select('id').where(contains('search_text', search));
    query = query.where((is) => is.or([contains('audit.search_text', search), is('userId', 'in', named)]));
  }
  return query;
}
