import type { Migration } from './migration.ts';

/**
 * The limits that replicas share, see docs/adr/0043. The tables are unlogged, so that no call waits for the disk; after a crash of the server,
 * every allowance is full and every slot is free.
 */
export const sharedLimits: Migration = {
  name: '0014-shared-limits',
  only: 'postgres',
  statements: () => [
    `create unlogged table call_allowances (
        name text collate "C" primary key,
        calls double precision not null,
        at double precision not null
      )`,
    // at most the calls of one second are saved; a moment before the last one adds nothing
    `create function take_calls(of_name text, per_second double precision, wanted integer) returns integer
       language plpgsql set search_path from current as $$
       declare
         moment double precision := extract(epoch from clock_timestamp());
         free double precision;
         granted integer;
       begin
         insert into call_allowances (name, calls, at) values (of_name, per_second, moment) on conflict (name) do nothing;
         select least(per_second, calls + greatest(0, moment - at) * per_second) into free
           from call_allowances where name = of_name for update;
         granted := least(wanted, floor(free));
         update call_allowances set calls = free - granted, at = greatest(at, moment) where name = of_name;
         return granted;
       end $$`,
    `create unlogged table held_slots (
        name text collate "C" not null,
        process text collate "C" not null,
        held integer not null,
        seen_at double precision not null,
        primary key (name, process)
      )`,
    'create index held_slots_process on held_slots (process)',
    'create index held_slots_seen on held_slots (seen_at)',
    // `wanted` replaces what the process holds; slots of processes that were not seen for `lost_after` seconds are free
    `create function hold_slots(of_name text, of_process text, most integer, wanted integer, lost_after double precision)
       returns integer language plpgsql set search_path from current as $$
       declare
         moment double precision := extract(epoch from clock_timestamp());
         others integer;
         granted integer;
       begin
         perform pg_advisory_xact_lock(hashtextextended(of_name, 0));
         select coalesce(sum(held), 0) into others
           from held_slots where name = of_name and process <> of_process and seen_at > moment - lost_after;
         granted := greatest(0, least(wanted, most - others));
         if granted = 0 then
           delete from held_slots where name = of_name and process = of_process;
         else
           insert into held_slots (name, process, held, seen_at) values (of_name, of_process, granted, moment)
             on conflict (name, process) do update set held = excluded.held, seen_at = excluded.seen_at;
         end if;
         return granted;
       end $$`,
  ],
};

/**
 * Slots are divided equally while processes want more than there are. The function with one argument fewer remains for processes of
 * the previous release during a rolling update.
 */
export const fairSlots: Migration = {
  name: '0028-fair-slots',
  only: 'postgres',
  statements: () => [
    'alter table held_slots add column wanted integer not null default 0',
    `create function hold_slots(of_name text, of_process text, most integer, of_wanted integer, used integer, lost_after double precision)
       returns integer language plpgsql set search_path from current as $$
       declare
         moment double precision := extract(epoch from clock_timestamp());
         others record;
         granted integer;
       begin
         perform pg_advisory_xact_lock(hashtextextended(of_name, 0));
         select coalesce(sum(held), 0) as held, coalesce(sum(greatest(wanted, held)), 0) as wanted, count(*) as processes into others
           from held_slots where name = of_name and process <> of_process and seen_at > moment - lost_after;
         granted := greatest(0, least(of_wanted, most - others.held, greatest(1, most / (others.processes + 1), most - others.wanted)));
         if of_wanted = 0 and used = 0 then
           delete from held_slots where name = of_name and process = of_process;
         else
           insert into held_slots (name, process, held, wanted, seen_at)
             values (of_name, of_process, greatest(granted, used), of_wanted, moment)
             on conflict (name, process) do update set held = excluded.held, wanted = excluded.wanted, seen_at = excluded.seen_at;
         end if;
         return granted;
       end $$`,
  ],
};

/** The rows that a process holds for the calls of a key on one day, see docs/adr/0043. Unlogged, like the tables of 0014. */
export const heldRows: Migration = {
  name: '0020-held-rows',
  only: 'postgres',
  statements: () => [
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
  ],
};
