import type { Migration } from './migration.ts';

export const cachedEntriesAndExecutions: Migration = {
  name: '0003-cached-entries-and-executions',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      'alter table audit add column cached smallint not null default 0',
      `create table executions (
        id ${text} primary key,
        process ${text} not null,
        query ${text} not null,
        user_id ${text} not null,
        user_name ${text} not null,
        channel ${text} not null,
        started_at bigint not null,
        row_count bigint not null,
        state ${text} not null,
        cancel_wanted smallint not null default 0,
        seen_at bigint not null
      )`,
    ];
  },
};
