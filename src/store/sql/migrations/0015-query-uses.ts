import type { Migration } from './migration.ts';

/** Favorite queries of each user, when each user last ran a query, and when anyone did. */
export const queryUses: Migration = {
  name: '0015-query-uses',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    const userId = `user_id ${text} not null references users (id) on delete cascade`;
    const queryId = `query_id ${text} not null references queries (id) on delete cascade`;
    return [
      `create table favorites (${userId}, ${queryId}, created_at bigint not null, primary key (user_id, query_id))`,
      `create table query_uses (${userId}, ${queryId}, last_at bigint not null, primary key (user_id, query_id))`,
      `create table query_runs (${queryId}, last_at bigint not null, primary key (query_id))`,
      'create index favorites_query on favorites (query_id)',
      'create index query_uses_query on query_uses (query_id)',
    ];
  },
};
