import type { Migration } from './migration.ts';

export const embeds: Migration = {
  name: '0002-embeds',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      `create table embeds (
        id ${text} primary key,
        user_id ${text} not null references users (id) on delete cascade,
        query_name ${text} not null,
        parameters ${text} not null,
        chart ${text} not null,
        search_text ${text} not null,
        stamp ${text} not null,
        days integer,
        created_at bigint not null,
        issued_at bigint not null,
        expires_at bigint,
        views bigint not null,
        last_viewed_at bigint
      )`,
      'create index embeds_created on embeds (created_at, id)',
      'create index embeds_user on embeds (user_id, created_at, id)',
    ];
  },
};
