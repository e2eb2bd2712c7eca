import type { Migration, SqlKind } from './migration.ts';

const watchedTables = ['users', 'roles', 'user_roles', 'api_keys', 'databases', 'queries', 'query_versions'];

/** Without `last_used_at`. */
const keyColumns = 'id, user_id, name, prefix, hash, queries, created_at, expires_at, revoked_at';
const limitedKeyColumns = keyColumns.replace('queries,', 'queries, limits,');

const updateOf = (table: string, columnsOfKeys: string): string =>
  table === 'api_keys' ? `update of ${columnsOfKeys}` : 'update';

/**
 * A number that increases with every change, by any process, to what the hot path reads: a call reads this number instead of three
 * records (see cache-reads.ts). Only for SQLite, because in PostgreSQL writers would wait for each other at this row.
 */
export const catalogGeneration: Migration = {
  name: '0004-catalog-generation',
  only: 'sqlite',
  statements: () => [
    'create table catalog_generation (value integer not null)',
    'insert into catalog_generation values (1)',
    ...watchedTables.flatMap((table) => [
      trigger(table, 'insert', 'insert'),
      trigger(table, 'update', updateOf(table, keyColumns)),
      trigger(table, 'delete', 'delete'),
    ]),
  ],
};

/** The triggers of the generation for a table that is added later. */
export const watchTable = (table: string, kind: SqlKind): readonly string[] =>
  kind === 'postgres'
    ? [statementTrigger(table, 'update')]
    : (['insert', 'update', 'delete'] as const).map((event) => trigger(table, event, event));

/** For a table whose rows are only inserted and deleted: a new row cannot be cached yet. */
export const watchDeletes = (table: string, kind: SqlKind): string =>
  kind === 'postgres'
    ? `create trigger ${table}_generation before delete or truncate on ${table}
       for each statement execute function raise_catalog_generation()`
    : trigger(table, 'delete', 'delete');

const trigger = (table: string, name: string, event: string): string =>
  `create trigger ${table}_${name}_generation after ${event} on ${table}
   begin update catalog_generation set value = value + 1; end`;

/**
 * The limits of a key, and the rows that it received today. The rows are in a separate table without a trigger, because they are written
 * every few seconds, and each write to `api_keys` would invalidate everything that is cached of the catalog.
 */
export const keyLimits: Migration = {
  name: '0007-key-limits',
  statements: (text, kind) => [
    `alter table api_keys add column limits ${text}`,
    `create table api_key_rows (
        key_id ${text} primary key references api_keys (id) on delete cascade,
        day integer not null,
        row_count bigint not null
      )`,
    ...(kind === 'postgres' ? [] : limitsWatched),
  ],
};

/** Replaces the trigger of 0004, which names the columns that increase the generation. */
const limitsWatched = [
  'drop trigger api_keys_update_generation',
  `create trigger api_keys_update_generation
   after update of ${limitedKeyColumns} on api_keys
   begin update catalog_generation set value = value + 1; end`,
];

/**
 * The generation of 0004 in PostgreSQL, as the sum of several counters, so that concurrent transactions that change the catalog seldom wait
 * for the same row. A sequence is not suitable: it increases before the change is committed.
 */
export const generationOnPostgres: Migration = {
  name: '0010-generation-on-postgres',
  only: 'postgres',
  statements: () => [
    'create table catalog_generation (shard integer primary key, value bigint not null)',
    `insert into catalog_generation select shard, 0 from generate_series(0, ${SHARDS - 1}) shard`,
    // without the index a serializable transaction would count as a reader of all counters, and conflict with every other
    `create function raise_catalog_generation() returns trigger language plpgsql
       set search_path from current set enable_seqscan = off as $$
       begin
         update catalog_generation set value = value + 1 where shard = pg_backend_pid() % ${SHARDS};
         return null;
       end $$`,
    ...watchedTables.map((table) => statementTrigger(table, updateOf(table, limitedKeyColumns))),
  ],
};

const SHARDS = 16;

/** Runs before the statement locks its rows, so that a statement that waits for its counter holds no other lock. */
const statementTrigger = (table: string, update: string): string =>
  `create trigger ${table}_generation before insert or ${update} or delete or truncate on ${table}
   for each statement execute function raise_catalog_generation()`;

/**
 * When each query last changed, so that every process can follow the changes of all others (catalog-index.ts). In PostgreSQL it is the
 * transaction, because the numbers of a sequence do not become visible in their order.
 */
export const queryChanges: Migration = {
  name: '0022-query-changes',
  statements: (_text, kind) => (kind === 'postgres' ? postgresStatements : sqliteStatements),
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
