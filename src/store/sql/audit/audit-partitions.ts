import { sql } from 'kysely';
import type { PartitionRequest } from '../../metadata-store.ts';
import type { Db } from '../db.ts';

const MONTHS_AHEAD = 2;

/** `validate` reads the whole table once, without blocking its users; it may take minutes. */
export async function keepPartitions(
  db: Db,
  validate: () => Promise<void>,
  { at, dropBefore, onlyIfEmpty }: PartitionRequest,
): Promise<void> {
  let state = await partitionAudit(db);
  if (state === 'unvalidated') {
    await validate();
    state = await partitionAudit(db);
  }
  if (state !== 'partitioned') return;
  await sql`select add_audit_month(audit_month(${at}, later)) from generate_series(0, ${MONTHS_AHEAD}) as later`.execute(db);
  if (dropBefore === null) return;
  const ended = await sql<{
    name: string;
  }>`select name from audit_partitions() where next_at <= ${dropBefore} order by next_at`.execute(db);
  for (const { name } of ended.rows) await sql`select drop_audit_month(${name}, ${onlyIfEmpty})`.execute(db);
}

/** The months of entries that are about to be inserted, where a failed insert cannot be repeated. */
export async function addMonths(db: Db, times: readonly number[]): Promise<void> {
  await sql`select add_audit_month(month)
    from (select distinct audit_month(at, 0) as month from unnest(${times}::bigint[]) as at) as months`.execute(db);
}

export const validateStatement = 'alter table audit validate constraint audit_until';

async function partitionAudit(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`select partition_audit() as state`.execute(db);
  return rows[0]?.state;
}
