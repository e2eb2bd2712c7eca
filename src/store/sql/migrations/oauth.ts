import { watchDeletes } from './catalog-changes.ts';
import type { Migration } from './migration.ts';

/**
 * Signing in from AI applications. Tokens are stored as hashes. Grants and tokens end when their rows are deleted: only deletions increase the
 * generation, so that signing in, refreshing and recording uses invalidate nothing.
 */
export const oauth: Migration = {
  name: '0031-oauth',
  statements: (text, kind) => [
    `create table oauth_clients (
      id ${text} primary key,
      source ${text} not null,
      name ${text} not null,
      metadata ${text} not null,
      secret_hash ${text},
      managed ${text},
      created_at bigint not null,
      last_used_at bigint not null
    )`,
    'create index oauth_clients_used on oauth_clients (source, last_used_at)',
    `create table oauth_grants (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      client_id ${text} not null,
      application ${text} not null,
      queries ${text},
      is_managed smallint not null,
      created_at bigint not null,
      last_used_at bigint,
      expires_at bigint not null
    )`,
    'create index oauth_grants_user on oauth_grants (user_id, created_at)',
    'create index oauth_grants_client on oauth_grants (client_id)',
    'create index oauth_grants_expires on oauth_grants (expires_at)',
    `create table oauth_tokens (
      hash ${text} primary key,
      grant_id ${text} not null references oauth_grants (id) on delete cascade,
      created_at bigint not null,
      expires_at bigint not null
    )`,
    'create index oauth_tokens_grant on oauth_tokens (grant_id)',
    'create index oauth_tokens_expires on oauth_tokens (expires_at)',
    `create table oauth_artifacts (
      kind ${text} not null,
      hash ${text} not null,
      grant_id ${text} references oauth_grants (id) on delete cascade,
      payload ${text} not null,
      consumed_at bigint,
      expires_at bigint not null,
      primary key (kind, hash)
    )`,
    'create index oauth_artifacts_grant on oauth_artifacts (grant_id)',
    'create index oauth_artifacts_expires on oauth_artifacts (kind, expires_at)',
    ...['oauth_grants', 'oauth_tokens'].map((table) => watchDeletes(table, kind)),
    `alter table audit add column application ${text}`,
    `alter table executions add column application ${text}`,
  ],
};
