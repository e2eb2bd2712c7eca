import type { Migration } from './migration.ts';

/**
 * Limits of a key, and the rows that it has had today. Those lie in a table of their own, without a trigger: written every few seconds
 * into `api_keys`, they would take all that is remembered of the catalog along.
 */
export const keyLimits: Migration = {
  name: '0007-key-limits',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      `alter table api_keys add column limits ${text}`,
      `create table api_key_rows (
        key_id ${text} primary key references api_keys (id) on delete cascade,
        day integer not null,
        row_count bigint not null
      )`,
      ...(kind === 'postgres' ? [] : limitsWatched),
    ];
  },
};

/** The trigger of 0004, which names the columns that count. */
const limitsWatched = [
  'drop trigger api_keys_update_generation',
  `create trigger api_keys_update_generation
   after update of id, user_id, name, prefix, hash, queries, limits, created_at, expires_at, revoked_at on api_keys
   begin update catalog_generation set value = value + 1; end`,
];
