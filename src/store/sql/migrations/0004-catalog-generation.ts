import type { Migration } from './migration.ts';

/**
 * A number that grows with every change of what the hot path reads, whoever makes it. Only for SQLite, where one small read a call
 * then stands for three large ones (see cache-reads.ts); in PostgreSQL writers would queue up for the row.
 */
export const catalogGeneration: Migration = {
  name: '0004-catalog-generation',
  statements(kind) {
    if (kind === 'postgres') return [];
    return [
      'create table catalog_generation (value integer not null)',
      'insert into catalog_generation values (1)',
      ...watched.flatMap(([table, columns]) => [
        trigger(table, 'insert', 'insert'),
        trigger(table, 'update', columns === undefined ? 'update' : `update of ${columns}`),
        trigger(table, 'delete', 'delete'),
      ]),
    ];
  },
};

const watched: readonly (readonly [table: string, columns?: string])[] = [
  ['users'],
  ['roles'],
  ['user_roles'],
  ['api_keys', 'id, user_id, name, prefix, hash, queries, created_at, expires_at, revoked_at'], // not last_used_at
  ['databases'],
  ['queries'],
  ['query_versions'],
];

const trigger = (table: string, name: string, event: string): string =>
  `create trigger ${table}_${name}_generation after ${event} on ${table}
   begin update catalog_generation set value = value + 1; end`;
