import type { Migration } from './migration.ts';

/**
 * When each query last changed, so that every process can follow the changes of all others (query-changes.ts). In PostgreSQL it is the
 * transaction, because numbers of a sequence become visible in another order than they were drawn.
 */
export const queryChanges: Migration = {
  name: '0022-query-changes',
  statements: (kind) => (kind === 'postgres' ? postgresStatements : sqliteStatements),
};

const postgresStatements = [
  `create table query_changes (
    query_id text collate "C" primary key references queries (id) on delete cascade,
    change xid8 not null
  )`,
  'create index query_changes_change on query_changes (change)',
  "insert into query_changes select id, '0' from queries",
  `create function note_query_change() returns trigger language plpgsql set search_path from current as $$
   begin
     insert into query_changes values (new.id, pg_current_xact_id())
     on conflict (query_id) do update set change = excluded.change;
     return null;
   end $$`,
  'create trigger queries_change after insert or update on queries for each row execute function note_query_change()',
];

/** Writers of SQLite run one at a time: the generation orders their changes. */
const sqliteStatements = [
  `create table query_changes (
    query_id text primary key references queries (id) on delete cascade,
    change integer not null
  )`,
  'create index query_changes_change on query_changes (change)',
  'insert into query_changes select id, 0 from queries',
  ...['insert', 'update'].map(
    (event) => `create trigger queries_${event}_change after ${event} on queries begin
      update catalog_generation set value = value + 1;
      insert or replace into query_changes select new.id, value from catalog_generation;
    end`,
  ),
];
