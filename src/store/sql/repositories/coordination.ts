import { sql } from 'kysely';
import type {
  DataFileRepository,
  ExecutionRepository,
  GuessRepository,
  HeldRows,
  LeaseRepository,
  LimitRepository,
  ReportedExecution,
} from '../../metadata-store.ts';
import { columnList, type Db, hasEffect, type RowOf } from '../db.ts';

export function executionRepository(db: Db): ExecutionRepository {
  return {
    async report(process, running, { at, forgetBefore }) {
      const ids = running.map(({ id }) => id);
      await db
        .deleteFrom('executions')
        .where((eb) => eb.or([eb('process', '=', process), eb('seenAt', '<', forgetBefore)]))
        .where('id', 'not in', ids)
        .execute();
      if (running.length === 0) return [];
      await db
        .insertInto('executions')
        .values(running.map((each) => rowOf(each, process, at)))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            rowCount: eb.ref('excluded.rowCount'),
            state: eb.ref('excluded.state'),
            seenAt: eb.ref('excluded.seenAt'),
          })),
        )
        .execute();
      const ofProcess = db.selectFrom('executions').select('id').where('process', '=', process);
      const wanted = await ofProcess.where('cancelWanted', '=', 1).execute();
      return wanted.map((row) => row.id);
    },
    async list(seenSince) {
      const rows = await db.selectFrom('executions').select(columns).where('seenAt', '>=', seenSince).execute();
      return rows.map(executionOf);
    },
    cancel: (id, seenSince) =>
      hasEffect(db.updateTable('executions').set({ cancelWanted: 1 }).where('id', '=', id).where('seenAt', '>=', seenSince)),
  };
}

const rowOf = (execution: ReportedExecution, process: string, seenAt: number): RowOf<'executions'> => {
  const { user: userName, rows: rowCount, ...rest } = execution;
  return { ...rest, userName, rowCount, process, cancelWanted: 0, seenAt };
};

const columns = columnList(
  'id query userId userName kind viewer application channel request startedAt rowCount state cancelWanted',
);

const executionOf = (row: Pick<RowOf<'executions'>, (typeof columns)[number]>): ReportedExecution => {
  const { cancelWanted, userName: user, rowCount: rows, ...execution } = row;
  return { ...execution, user, rows, state: cancelWanted === 1 ? 'cancelling' : row.state };
};

export function leaseRepository(db: Db): LeaseRepository {
  return {
    async take(name, holder, { at, until }) {
      const row = { holder, untilAt: until };
      const granted = await db
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            .where((is) => is.or([is('leases.untilAt', '<=', at), is('leases.holder', '=', holder)])),
        )
        .returning('name')
        .executeTakeFirst();
      return granted !== undefined;
    },
    async release(name, holder) {
      await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}

export function dataFileRepository(db: Db): DataFileRepository {
  type Change = Partial<Pick<RowOf<'data_files'>, 'latest' | 'ranged' | 'rangedAt' | 'holder' | 'untilAt'>>;
  /** A row is kept until the latest of all requested times. */
  const atLeast = (until: number) =>
    sql<number>`case when data_files.expires_at > ${until} then data_files.expires_at else ${until} end`;
  const keep = async (name: string, change: Change, until: number): Promise<void> => {
    await db
      .insertInto('data_files')
      .values({ name, untilAt: 0, ...change, expiresAt: until })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ ...change, expiresAt: atLeast(until) }))
      .execute();
  };
  return {
    async get(name) {
      const row = await db
        .selectFrom('data_files')
        .select(['latest', 'ranged', 'rangedAt'])
        .where('name', '=', name)
        .executeTakeFirst();
      return {
        latest: row?.latest == null ? null : JSON.parse(row.latest),
        ranged: row?.ranged == null ? null : { file: JSON.parse(row.ranged), at: row.rangedAt ?? 0 },
      };
    },
    async claim(name, holder, { at, until }) {
      const change = { holder, untilAt: until };
      const granted = await db
        .insertInto('data_files')
        .values({ name, ...change, expiresAt: until })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ ...change, expiresAt: atLeast(until) })
            .where((is) => is.or([is('data_files.untilAt', '<=', at), is('data_files.holder', '=', holder)])),
        )
        .returning('name')
        .executeTakeFirst();
      return granted !== undefined;
    },
    async release(name, holder) {
      const released = { holder: null, untilAt: 0 };
      await db.updateTable('data_files').set(released).where('name', '=', name).where('holder', '=', holder).execute();
    },
    keepLatest: (name, file, until) => keep(name, { latest: JSON.stringify(file) }, until),
    keepRanged: (name, file, { at, until }) => keep(name, { ranged: JSON.stringify(file), rangedAt: at }, until),
    async deleteExpired(now) {
      await db.deleteFrom('data_files').where('expiresAt', '<', now).execute();
    },
  };
}

/** Each method calls one function of PostgreSQL: one round trip, and locks are not held longer than that. */
export function limitRepository(db: Db): LimitRepository {
  return {
    async takeCalls(name, perSecond, wanted) {
      const { rows } = await sql<{ granted: number }>`select take_calls(${name}, ${perSecond}, ${wanted}) as granted`.execute(db);
      return rows[0]?.granted ?? 0;
    },
    async holdSlots({ name, process, most, wanted, used }) {
      const { rows } = await sql<{
        granted: number;
      }>`select hold_slots(${name}, ${process}, ${most}, ${wanted}, ${used}, ${LOST_AFTER_SECONDS}) as granted`.execute(db);
      return rows[0]?.granted ?? 0;
    },
    async holdRows({ keyId, process, day, most, added, wanted }) {
      const { rows } = await sql<HeldRows>`select granted, had, others
        from hold_rows(${keyId}, ${process}, ${day}, ${most}, ${added}, ${wanted}, ${LOST_AFTER_SECONDS})`.execute(db);
      return rows[0] ?? { granted: 0, had: 0, others: 0 };
    },
    async drop(process) {
      await sql`delete from held_slots where process = ${process}`.execute(db);
      await sql`delete from held_rows where process = ${process}`.execute(db);
    },
    async keepSlots(process) {
      const moment = sql`extract(epoch from clock_timestamp())::float8`;
      await sql`update held_slots set seen_at = ${moment} where process = ${process}`.execute(db);
      await sql`delete from held_slots where seen_at < ${moment} - ${LOST_AFTER_SECONDS}`.execute(db);
    },
  };
}

const LOST_AFTER_SECONDS = 15;

export function guessRepository(db: Db): GuessRepository {
  return {
    async note(about, { at, forgetBefore }) {
      await db.deleteFrom('guesses').where('at', '<', forgetBefore).execute();
      await db
        .insertInto('guesses')
        .values(about.map((each) => ({ about: each, at })))
        .execute();
    },
    async listLatest(about, { since, limit }) {
      const rows = await db
        .selectFrom('guesses')
        .select('at')
        .where('about', '=', about)
        .where('at', '>', since)
        .orderBy('at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ at }) => at);
    },
  };
}
