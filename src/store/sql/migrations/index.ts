import { auditPartitions } from './audit-partitions.ts';
import { catalogGeneration, generationOnPostgres, keyLimits, queryChanges, watchTable } from './catalog-changes.ts';
import { foundation } from './foundation.ts';
import type { Migration } from './migration.ts';
import { oauth } from './oauth.ts';
import { fairSlots, heldRows, sharedLimits } from './shared-limits.ts';

/** In order, forward only. A released migration is never changed: add another. Long ones have files of their own. */
export const migrations: readonly Migration[] = [
  foundation,
  {
    name: '0002-embeds',
    statements: (text) => createShares('embeds', 'chart', text),
  },
  {
    name: '0003-cached-entries-and-executions',
    statements: (text) => [
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
    ],
  },
  catalogGeneration,
  {
    name: '0005-external-users',
    statements: (text) => [
      `alter table users add column external_id ${text}`,
      'create unique index users_external on users (external_id)',
    ],
  },
  {
    name: '0006-audit-errors',
    statements: (text) => [`alter table audit add column error ${text}`],
  },
  keyLimits,
  {
    name: '0008-leases',
    statements: (text) => [
      `create table leases (
        name ${text} primary key,
        holder ${text} not null,
        until_at bigint not null
      )`,
    ],
  },
  // wrong passwords of the last minute, so that an attacker gains nothing by guessing at several processes
  {
    name: '0009-guesses',
    statements: (text) => [
      `create table guesses (about ${text} not null, at bigint not null)`,
      'create index guesses_about on guesses (about, at)',
      'create index guesses_at on guesses (at)',
    ],
  },
  generationOnPostgres,
  // the search index of the audit trail, see docs/adr/0034
  {
    name: '0011-audit-blocks',
    statements: (_text, kind) => [
      `create table audit_blocks (
        block ${kind === 'postgres' ? 'bigint' : 'integer'} primary key,
        min_at bigint not null,
        max_at bigint not null,
        signature ${kind === 'postgres' ? 'bytea' : 'blob'} not null
      )`,
    ],
  },
  {
    name: '0012-user-attributes',
    statements: (text) => [`alter table users add column attributes ${text} not null default '{}'`],
  },
  // which tools the MCP gateway offers to a key: the general ones, or one for each of its queries. It never changes
  {
    name: '0013-typed-tools',
    statements: (text) => [`alter table api_keys add column tools ${text} not null default 'generic'`],
  },
  sharedLimits,
  // favorite queries of each user, when each user last ran a query, and when anyone did
  {
    name: '0015-query-uses',
    statements(text) {
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
  },
  auditPartitions,
  // the name by which a caller can cancel an execution from another process; null: none
  {
    name: '0018-cancellable-requests',
    statements: (text) => [`alter table executions add column request ${text}`],
  },
  // the last test of each connection. Separate from the databases, so that a test does not invalidate cached records
  {
    name: '0019-database-tests',
    statements: (text) => [
      `create table database_tests (
        database_id ${text} primary key references databases (id) on delete cascade,
        at bigint not null,
        problem ${text}
      )`,
    ],
  },
  heldRows,
  // why a version of a query exists. The default lets a process of the previous release insert versions during a rolling update
  {
    name: '0021-version-notes',
    statements: (text) => [`alter table query_versions add column note ${text} not null default ''`],
  },
  queryChanges,
  // the search of the audit trail no longer has a separate index, see docs/adr/0056
  {
    name: '0023-drop-audit-blocks',
    statements: () => ['drop table audit_blocks'],
  },
  // how often a query ran, and the size of its last response to an AI assistant; null: none. Processes of the previous release do not count runs
  {
    name: '0024-run-counts',
    statements: () =>
      ['runs bigint not null default 0', 'answer_bytes bigint', 'answer_tokens bigint'].map(
        (column) => `alter table query_runs add column ${column}`,
      ),
  },
  // the same columns as embeds. Roles that may create embeds may create data links
  {
    name: '0025-data-links',
    statements: (text) => [
      ...createShares('links', 'settings', text),
      `update roles set permissions = replace(permissions, '"embeds.create"', '"embeds.create","links.create"')`,
    ],
  },
  // accounts of programs. The owner is checked at the commit, because a backup may restore an application before its owner
  {
    name: '0026-applications',
    statements: (text) => [
      `alter table users add column kind ${text} not null default 'person'`,
      `alter table users add column owner_id ${text} references users (id) on delete set null deferrable initially deferred`,
      `alter table audit add column kind ${text}`,
      `alter table audit add column viewer ${text}`,
      `alter table executions add column kind ${text} not null default 'person'`,
      `alter table executions add column viewer ${text}`,
    ],
  },
  // the viewers of applications. The blocked ones are stored separately, so that counting calls does not invalidate cached records
  {
    name: '0027-viewers',
    statements: (text, kind) => [
      `alter table users add column signing ${text}`,
      ...['blocked_viewers (blocked_at bigint not null', 'viewers (calls bigint not null, last_used_at bigint not null'].map(
        (table) => `create table ${table},
          user_id ${text} not null references users (id) on delete cascade,
          sub ${text} not null,
          primary key (user_id, sub)
        )`,
      ),
      'create index viewers_used on viewers (user_id, last_used_at)',
      ...watchTable('blocked_viewers', kind),
    ],
  },
  fairSlots,
  // the files in the result storage that GET requests share, and the process that writes the next one
  {
    name: '0029-data-files',
    statements: (text) => [
      `create table data_files (
        name ${text} primary key,
        latest ${text},
        ranged ${text},
        ranged_at bigint,
        holder ${text},
        until_at bigint not null,
        expires_at bigint not null
      )`,
      'create index data_files_expires on data_files (expires_at)',
    ],
  },
  oauth,
  // the versions that callers can pin. Of those that were Active before, only the current ones are known
  {
    name: '0033-pinned-versions',
    statements: () => [
      ...['activation integer', 'activated_at bigint', 'retires_at bigint'].map(
        (column) => `alter table query_versions add column ${column}`,
      ),
      `update query_versions set activation = version, activated_at = created_at
       where exists (select 1 from queries
         where queries.id = query_versions.query_id and queries.current_version = query_versions.version
           and queries.status in ('Active', 'Inactive'))`,
    ],
  },
  // finds what depends on a query by its technical name
  {
    name: '0034-query-dependants',
    statements: () => [
      'create index embeds_query on embeds (query_name)',
      'create index links_query on links (query_name)',
      `create index api_keys_typed on api_keys (user_id) where tools = 'typed'`,
    ],
  },
];

/** The tables of embeds and data links have the same columns, except for the name of one. */
const createShares = (table: 'embeds' | 'links', settings: 'chart' | 'settings', text: string): readonly string[] => [
  `create table ${table} (
        id ${text} primary key,
        user_id ${text} not null references users (id) on delete cascade,
        query_name ${text} not null,
        parameters ${text} not null,
        ${settings} ${text} not null,
        search_text ${text} not null,
        stamp ${text} not null,
        days integer,
        created_at bigint not null,
        issued_at bigint not null,
        expires_at bigint,
        views bigint not null,
        last_viewed_at bigint
      )`,
  `create index ${table}_created on ${table} (created_at, id)`,
  `create index ${table}_user on ${table} (user_id, created_at, id)`,
];
