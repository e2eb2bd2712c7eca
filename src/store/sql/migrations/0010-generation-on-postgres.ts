import type { Migration } from './migration.ts';

/**
 * The generation of 0004 in PostgreSQL, as the sum of several counters: transactions that change the catalog at the same time then seldom
 * wait for the same row. A sequence would not do, since it grows before the change is committed.
 */
export const generationOnPostgres: Migration = {
  name: '0010-generation-on-postgres',
  statements(kind) {
    if (kind === 'sqlite') return [];
    return [
      'create table catalog_generation (shard integer primary key, value bigint not null)',
      `insert into catalog_generation select shard, 0 from generate_series(0, ${SHARDS - 1}) shard`,
      // without the index a serializable transaction would count as a reader of all counters, and conflict with every other
      `create function raise_catalog_generation() returns trigger language plpgsql
       set search_path from current set enable_seqscan = off as $$
       begin
         update catalog_generation set value = value + 1 where shard = pg_backend_pid() % ${SHARDS};
         return null;
       end $$`,
      ...watched.map(([table, columns]) => trigger(table, columns === undefined ? 'update' : `update of ${columns}`)),
    ];
  },
};

const SHARDS = 16;

const watched: readonly (readonly [table: string, columns?: string])[] = [
  ['users'],
  ['roles'],
  ['user_roles'],
  ['api_keys', 'id, user_id, name, prefix, hash, queries, limits, created_at, expires_at, revoked_at'], // not last_used_at
  ['databases'],
  ['queries'],
  ['query_versions'],
];

/** Before the rows are locked: a statement that waits for its counter then holds none of them. */
const trigger = (table: string, update: string): string =>
  `create trigger ${table}_generation before insert or ${update} or delete or truncate on ${table}
   for each statement execute function raise_catalog_generation()`;
