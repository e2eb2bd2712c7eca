import type { Insertable, Selectable } from 'kysely';
import type { Channel } from '../../audit/audit-entry.ts';
import type { ExecutionRepository, ToldExecution } from '../metadata-store.ts';
import type { Db, Tables } from './schema.ts';

export function executionRepository(db: Db): ExecutionRepository {
  return {
    async tell(process, running, { at, forgetBefore }) {
      await db
        .deleteFrom('executions')
        .where((eb) => eb.or([eb('process', '=', process), eb('seen_at', '<', forgetBefore)]))
        .$if(running.length > 0, (query) =>
          query.where(
            'id',
            'not in',
            running.map((each) => each.id),
          ),
        )
        .execute();
      if (running.length === 0) return [];
      await db
        .insertInto('executions')
        .values(running.map((each) => rowOf(each, process, at)))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            row_count: eb.ref('excluded.row_count'),
            state: eb.ref('excluded.state'),
            seen_at: eb.ref('excluded.seen_at'),
          })),
        )
        .execute();
      const wanted = await db
        .selectFrom('executions')
        .select('id')
        .where('process', '=', process)
        .where('cancel_wanted', '=', 1)
        .execute();
      return wanted.map((row) => row.id);
    },
    async list(seenSince) {
      const rows = await db.selectFrom('executions').selectAll().where('seen_at', '>=', seenSince).execute();
      return rows.map(executionOf);
    },
    async cancel(id, seenSince) {
      const { numUpdatedRows } = await db
        .updateTable('executions')
        .set({ cancel_wanted: 1 })
        .where('id', '=', id)
        .where('seen_at', '>=', seenSince)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

const rowOf = (execution: ToldExecution, process: string, at: number): Insertable<Tables['executions']> => ({
  id: execution.id,
  process,
  query: execution.query,
  user_id: execution.userId,
  user_name: execution.user,
  channel: execution.channel,
  started_at: execution.startedAt,
  row_count: execution.rows,
  state: execution.state,
  cancel_wanted: 0,
  seen_at: at,
});

const executionOf = (row: Selectable<Tables['executions']>): ToldExecution => ({
  id: row.id,
  query: row.query,
  userId: row.user_id,
  user: row.user_name,
  channel: row.channel as Channel, // as we wrote it
  startedAt: row.started_at,
  rows: row.row_count,
  state: row.cancel_wanted === 1 ? 'cancelling' : (row.state as ToldExecution['state']),
});
