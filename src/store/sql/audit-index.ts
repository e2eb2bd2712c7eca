import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { AuditFilter } from '../../audit/audit-entry.ts';
import { bitsOfText, bitsOfUser, signatureOf } from './audit-signature.ts';
import { contains } from './list-page.ts';
import type { SqlKind } from './migrations/migration.ts';
import type { Db, RowOf } from './schema.ts';
import { normalized } from './text.ts';

/**
 * The search index of the audit trail: block n has the entries whose `seq` is between n * 128 and n * 128 + 127, and its row in
 * `audit_blocks` has the signature of their texts. Rows are inserted in ascending order and never changed. A block below the last row
 * that has no row itself is empty.
 */
const BLOCK = 128;

const STEP = 16; // blocks, about as many entries as the first part of a search reads
const MAX_BLOCKS = 8_000; // beyond that, the text is common or the trail is very long
const MAX_UNINDEXED = 100_000; // entries
const MAX_USERS = 20; // each of them matches some blocks by chance
const WRITERS_MS = 2_000;

/** Entries that may match, by number; `minAt` and `maxAt` are their times. */
export interface Block {
  readonly block: number;
  readonly minAt: number;
  readonly maxAt: number;
}

export type SeqRange = readonly [first: number, last: number];

export async function hasUnindexed(db: Db): Promise<boolean> {
  return completeBefore(await newestSeq(db)) >= (await firstUnindexed(db)) + STEP;
}

export async function indexNext(db: Db, kind: SqlKind): Promise<boolean> {
  // read first: blocks that are empty or complete now stay so
  const complete = completeBefore(kind === 'postgres' ? await settledSeq(db) : await newestSeq(db));
  const { first } = await db
    .selectFrom('audit')
    .where('seq', '>=', (await firstUnindexed(db)) * BLOCK)
    .select((is) => is.fn.min<number | null>('seq').as('first'))
    .executeTakeFirstOrThrow();
  const start = Math.floor((first ?? complete * BLOCK) / BLOCK);
  const end = Math.min(complete, start + STEP);
  if (start >= end) return false;
  const entries = await db
    .selectFrom('audit')
    .select(['seq', 'at', 'userId', 'searchText'])
    .where('seq', '>=', start * BLOCK)
    .where('seq', '<', end * BLOCK)
    .execute();
  const blocks: RowOf<'audit_blocks'>[] = [];
  for (const [block, members = []] of Object.entries(Object.groupBy(entries, ({ seq }) => Math.floor(seq / BLOCK)))) {
    const times = members.map(({ at }) => at);
    blocks.push({
      block: Number(block),
      minAt: Math.min(...times),
      maxAt: Math.max(...times),
      signature: signatureOf(members),
    });
  }
  if (blocks.length > 0) {
    await db
      .insertInto('audit_blocks')
      .values(blocks)
      .onConflict((conflict) => conflict.column('block').doNothing())
      .execute();
  }
  return end < complete;
}

/** Deletes the blocks before the first entry. */
export async function dropEmptyBlocks(db: Db): Promise<void> {
  const first = sql<number>`(select min(seq) / ${sql.lit(BLOCK)} from audit)`;
  await db.deleteFrom('audit_blocks').where('block', '<', first).execute();
}

/** The blocks that may have entries for the search and the action of a filter, latest first; null if all entries must be read instead. */
export async function blocksFor(db: Db, kind: SqlKind, filter: AuditFilter): Promise<readonly Block[] | null> {
  const alternatives = await bitsFor(db, filter);
  if (alternatives === null) return null;
  const unindexed = await firstUnindexed(db); // read once: a block that is indexed from now on counts as not indexed
  const newest = await newestSeq(db);
  if (newest - unindexed * BLOCK > MAX_UNINDEXED) return null;
  const block = sql<number>`seq / ${sql.lit(BLOCK)}`;
  const indexed = await db
    .selectFrom('audit_blocks')
    .select(['block', 'minAt', 'maxAt'])
    .where('block', '<', unindexed)
    .$if(filter.from !== undefined, (query) => query.where('maxAt', '>=', filter.from ?? 0))
    .$if(filter.to !== undefined, (query) => query.where('minAt', '<', filter.to ?? 0))
    .where((is) => is.or(alternatives.map((bits) => is.and(bits.map((bit) => hasBit(kind, bit))))))
    .limit(MAX_BLOCKS + 1)
    .execute();
  if (indexed.length > MAX_BLOCKS) return null;
  const others = await db
    .selectFrom('audit')
    .select((is) => [block.as('block'), is.fn.min<number>('at').as('minAt'), is.fn.max<number>('at').as('maxAt')])
    .where('seq', '>=', unindexed * BLOCK)
    .where('seq', '<=', newest) // PostgreSQL expects a range to be small, and uses the index before it has statistics
    .groupBy(block)
    .execute();
  return [...indexed, ...others].toSorted((a, b) => b.maxAt - a.maxAt);
}

/** Bits of which a block with a matching entry has all of at least one list; null if the index cannot tell. */
async function bitsFor(db: Db, { search, action }: AuditFilter): Promise<readonly (readonly number[])[] | null> {
  const ofAction = action === undefined ? null : bitsOfText(normalized(action));
  if (!search) return ofAction === null ? null : [ofAction];
  const text = bitsOfText(normalized(search));
  if (text === null) return ofAction === null ? null : [ofAction];
  const users = await db
    .selectFrom('users')
    .select('id')
    .where(contains('search_text', search))
    .limit(MAX_USERS + 1)
    .execute();
  if (users.length > MAX_USERS) return null;
  return [text, ...users.map(({ id }) => bitsOfUser(id))].map((bits) => [...bits, ...(ofAction ?? [])]);
}

/** The entries of blocks, in as few ranges as possible. */
export function seqRanges(blocks: readonly Block[]): readonly SeqRange[] {
  const ranges: [number, number][] = [];
  for (const { block } of blocks.toSorted((a, b) => a.block - b.block)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === block * BLOCK - 1) last[1] += BLOCK;
    else ranges.push([block * BLOCK, block * BLOCK + BLOCK - 1]);
  }
  return ranges;
}

export const blocksOf = (entries: number): number => Math.max(1, Math.floor(entries / BLOCK));

async function firstUnindexed(db: Db): Promise<number> {
  const { last } = await db
    .selectFrom('audit_blocks')
    .select((is) => is.fn.max<number | null>('block').as('last'))
    .executeTakeFirstOrThrow();
  return last === null ? 0 : last + 1;
}

async function newestSeq(db: Db): Promise<number> {
  const { newest } = await db
    .selectFrom('audit')
    .select((is) => is.fn.max<number | null>('seq').as('newest'))
    .executeTakeFirstOrThrow();
  return newest ?? -1;
}

/** The first block that is not complete when `seq` is the newest. */
const completeBefore = (seq: number): number => Math.floor((seq + 1) / BLOCK);

/**
 * The newest number below which no further entry can appear. In PostgreSQL a transaction may commit a lower number after another one has
 * committed a higher number. It locks the table before it gets its number, so it is enough to wait for the current holders of that lock.
 */
async function settledSeq(db: Db): Promise<number> {
  const writing = sql`locktype = 'relation' and relation = 'audit'::regclass and mode = 'RowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`;
  const seen = await sql<{ newest: number | null; writers: string[] }>`select (select max(seq) from audit) as newest,
    array(select virtualtransaction from pg_locks where ${writing}) as writers`.execute(db);
  const { newest = null, writers = [] } = seen.rows[0] ?? {};
  const deadline = performance.now() + WRITERS_MS;
  const haveEnded = async (): Promise<boolean> => {
    const still = await sql`select 1 from pg_locks where ${writing} and virtualtransaction = any(${writers}) limit 1`.execute(db);
    return still.rows.length === 0;
  };
  while (writers.length > 0 && !(await haveEnded())) {
    if (performance.now() > deadline) return -1;
    await sleep(10);
  }
  return newest ?? -1;
}

const bytesWithBit = Array.from({ length: 8 }, (_, bit) =>
  Uint8Array.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte & (1 << bit))),
);

function hasBit(kind: SqlKind, bit: number): RawBuilder<SqlBool> {
  if (kind === 'postgres') return sql`get_bit(signature, ${bit}) = 1`;
  // SQLite has no operator for a bit of a blob
  return sql`instr(${bytesWithBit[bit & 7]}, substr(signature, ${(bit >> 3) + 1}, 1)) > 0`;
}
