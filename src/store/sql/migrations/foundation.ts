import type { Migration } from './migration.ts';

export const foundation: Migration = {
  name: '0001-foundation',
  statements(text, kind) {
    const sequence =
      kind === 'postgres' ? 'bigint generated always as identity primary key' : 'integer primary key autoincrement';
    return [
      `create table users (
        id ${text} primary key,
        username ${text} not null,
        name_key ${text} not null unique,
        search_text ${text} not null,
        full_name ${text} not null,
        email ${text} not null,
        password_hash ${text} not null,
        credential_version integer not null,
        database_scope ${text} not null,
        expires_at bigint,
        disabled smallint not null,
        version integer not null,
        created_at bigint not null
      )`,
      `create table roles (
        id ${text} primary key,
        name ${text} not null,
        name_key ${text} not null unique,
        permissions ${text} not null,
        built_in smallint not null,
        version integer not null
      )`,
      `create table user_roles (
        user_id ${text} not null references users (id) on delete cascade,
        role_id ${text} not null references roles (id) on delete restrict,
        position integer not null,
        primary key (user_id, role_id)
      )`,
      'create index user_roles_role on user_roles (role_id)',
      // a slot is held by at most one key of a user; null for keys that hold none
      `create table api_keys (
        id ${text} primary key,
        user_id ${text} not null references users (id) on delete cascade,
        slot integer,
        name ${text} not null,
        prefix ${text} not null,
        hash ${text} not null unique,
        queries ${text},
        created_at bigint not null,
        last_used_at bigint,
        expires_at bigint,
        revoked_at bigint,
        unique (user_id, slot)
      )`,
      `create table sessions (
        hash ${text} primary key,
        user_id ${text} not null references users (id) on delete cascade,
        credential_version integer not null,
        created_at bigint not null,
        last_used_at bigint not null
      )`,
      'create index sessions_user on sessions (user_id)',
      `create table databases (
        id ${text} primary key,
        name ${text} not null,
        name_key ${text} not null,
        kind ${text} not null,
        connection ${text} not null,
        sealed_secrets ${text},
        settings ${text} not null,
        description ${text} not null,
        disabled smallint not null,
        writable smallint not null,
        built_in smallint not null,
        version integer not null,
        created_at bigint not null,
        deleted_at bigint
      )`,
      'create unique index databases_name on databases (name_key) where deleted_at is null',
      `create table queries (
        id ${text} primary key,
        query_name ${text} not null unique,
        name_fixed smallint not null,
        status ${text} not null,
        current_version integer not null,
        draft_version integer,
        draft_status ${text},
        last_version integer not null,
        revision integer not null,
        created_at bigint not null,
        created_by ${text} not null,
        updated_at bigint not null,
        updated_by ${text} not null,
        name_key ${text} not null,
        search_text ${text} not null,
        database_id ${text} not null,
        ai_access smallint not null
      )`,
      'create index queries_name on queries (name_key, id)',
      'create index queries_database on queries (database_id)',
      `create table query_versions (
        query_id ${text} not null references queries (id) on delete cascade,
        version integer not null,
        definition ${text} not null,
        labels ${text} not null,
        result_columns ${text},
        created_at bigint not null,
        created_by ${text} not null,
        primary key (query_id, version)
      )`,
      `create table query_roles (
        query_id ${text} not null references queries (id) on delete cascade,
        stage ${text} not null,
        role_id ${text} not null references roles (id) on delete restrict,
        primary key (query_id, stage, role_id)
      )`,
      'create index query_roles_role on query_roles (role_id)',
      `create table query_tags (
        query_id ${text} not null references queries (id) on delete cascade,
        tag_key ${text} not null,
        primary key (query_id, tag_key)
      )`,
      `create table settings (
        key ${text} primary key,
        value ${text} not null
      )`,
      `create table audit (
        seq ${sequence},
        at bigint not null,
        request_id ${text} not null,
        user_id ${text},
        user_name ${text},
        user_key ${text},
        api_key ${text},
        action ${text} not null,
        query ${text},
        query_version integer,
        parameters ${text},
        channel ${text} not null,
        outcome ${text} not null,
        status integer not null,
        row_count bigint,
        byte_count bigint,
        duration_ms bigint not null,
        address ${text} not null,
        client ${text},
        search_text ${text} not null
      )`,
      'create index audit_at on audit (at, seq)',
      'create index audit_request on audit (request_id)',
      'create index audit_query on audit (query, at, seq)',
      'create index audit_user on audit (user_key, at, seq)',
    ];
  },
};
