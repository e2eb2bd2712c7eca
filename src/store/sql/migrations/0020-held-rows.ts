import type { Migration } from './migration.ts';

/** Rows of a day that a process has taken for the calls of a key, see docs/adr/0043. Unlogged, as the tables of 0014. */
export const heldRows: Migration = {
  name: '0020-held-rows',
  statements(kind) {
    if (kind === 'sqlite') return [];
    return [
      `create unlogged table held_rows (
        key_id text collate "C" not null,
        process text collate "C" not null,
        day integer not null,
        held bigint not null,
        seen_at double precision not null,
        primary key (key_id, process)
      )`,
      'create index held_rows_process on held_rows (process)',
      // counts `added` rows and replaces what the process holds, in one step: together they never exceed the limit
      `create function hold_rows(of_key text, of_process text, of_day integer, most bigint, added bigint, wanted bigint,
         lost_after double precision, out granted bigint, out had bigint, out others bigint)
       language plpgsql set search_path from current as $$
       declare
         moment double precision := extract(epoch from clock_timestamp());
       begin
         perform pg_advisory_xact_lock(hashtextextended('rows ' || of_key, 0));
         if added > 0 then
           insert into api_key_rows as counted (key_id, day, row_count) select id, of_day, added from api_keys where id = of_key
             on conflict (key_id) do update set
               row_count = case when counted.day = excluded.day then counted.row_count else 0 end + excluded.row_count,
               day = excluded.day
             where counted.day <= excluded.day;
         end if;
         select coalesce(sum(row_count), 0) into had from api_key_rows where key_id = of_key and day = of_day;
         delete from held_rows where key_id = of_key and (seen_at < moment - lost_after or day < of_day);
         select coalesce(sum(held), 0) into others from held_rows where key_id = of_key and process <> of_process and day = of_day;
         granted := greatest(0, least(wanted, most - had - others));
         if granted = 0 then
           delete from held_rows where key_id = of_key and process = of_process;
         else
           insert into held_rows as known (key_id, process, day, held, seen_at) values (of_key, of_process, of_day, granted, moment)
             on conflict (key_id, process) do update set day = excluded.day, held = excluded.held, seen_at = excluded.seen_at
             where known.day <= excluded.day;
         end if;
       end $$`,
    ];
  },
};
