import type { Generated, Kysely } from 'kysely';

/** Epoch milliseconds are bigint, flags 0 or 1, `*_key` columns folded names, and columns marked JSON hold it as text. */
export interface Tables {
  migrations: MigrationTable;
  users: UserTable;
  roles: RoleTable;
  user_roles: UserRoleTable;
  api_keys: ApiKeyTable;
  api_key_rows: ApiKeyRowsTable;
  sessions: SessionTable;
  embeds: EmbedTable;
  databases: DatabaseTable;
  queries: QueryTable;
  query_versions: QueryVersionTable;
  query_roles: QueryRoleTable;
  query_tags: QueryTagTable;
  settings: SettingTable;
  audit: AuditTable;
  audit_blocks: AuditBlockTable;
  executions: ExecutionTable;
  leases: LeaseTable;
  guesses: GuessTable;
}

export type Db = Kysely<Tables>;

export type Flag = 0 | 1;
export const flag = (value: boolean): Flag => (value ? 1 : 0);

interface MigrationTable {
  name: string;
  at: number;
}

interface UserTable {
  id: string;
  username: string;
  name_key: string;
  search_text: string;
  full_name: string;
  email: string;
  password_hash: string; // empty: none
  external_id: string | null;
  credential_version: number;
  database_scope: string; // JSON
  expires_at: number | null;
  disabled: Flag;
  version: number;
  created_at: number;
}

interface RoleTable {
  id: string;
  name: string;
  name_key: string;
  permissions: string; // JSON
  built_in: Flag;
  version: number;
}

interface UserRoleTable {
  user_id: string;
  role_id: string;
  position: number;
}

interface ApiKeyTable {
  id: string;
  user_id: string;
  slot: number | null;
  name: string;
  prefix: string;
  hash: string;
  queries: string | null; // JSON
  limits: string | null; // JSON
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
  revoked_at: number | null;
}

/** Apart from the keys, so that counting disturbs nothing that is read with them. */
interface ApiKeyRowsTable {
  key_id: string;
  day: number; // since 1970, UTC
  row_count: number;
}

interface SessionTable {
  hash: string;
  user_id: string;
  credential_version: number;
  created_at: number;
  last_used_at: number;
}

interface EmbedTable {
  id: string;
  user_id: string;
  query_name: string;
  parameters: string; // JSON
  chart: string; // JSON
  search_text: string;
  stamp: string;
  days: number | null;
  created_at: number;
  issued_at: number;
  expires_at: number | null;
  views: number;
  last_viewed_at: number | null;
}

interface DatabaseTable {
  id: string;
  name: string;
  name_key: string;
  kind: string;
  connection: string; // JSON
  sealed_secrets: string | null;
  settings: string; // JSON
  description: string;
  disabled: Flag;
  writable: Flag;
  built_in: Flag;
  version: number;
  created_at: number;
  deleted_at: number | null;
}

interface QueryTable {
  id: string;
  query_name: string;
  name_fixed: Flag;
  status: string;
  current_version: number;
  draft_version: number | null;
  draft_status: string | null;
  last_version: number;
  revision: number;
  created_at: number;
  created_by: string;
  updated_at: number;
  updated_by: string;
  // of the current version, for lists
  name_key: string;
  search_text: string;
  database_id: string;
  ai_access: Flag;
}

interface QueryVersionTable {
  query_id: string;
  version: number;
  definition: string; // JSON
  labels: string; // JSON
  result_columns: string | null; // JSON
  created_at: number;
  created_by: string;
}

/** The roles of the current version and of the draft; those of older versions bind nobody. */
interface QueryRoleTable {
  query_id: string;
  stage: 'current' | 'draft';
  role_id: string;
}

interface QueryTagTable {
  query_id: string;
  tag_key: string;
}

interface SettingTable {
  key: string;
  value: string; // JSON
}

interface AuditTable {
  seq: Generated<number>;
  at: number;
  request_id: string;
  user_id: string | null;
  user_name: string | null;
  user_key: string | null;
  api_key: string | null;
  action: string;
  query: string | null;
  query_version: number | null;
  parameters: string | null; // JSON
  channel: string;
  outcome: string;
  status: number;
  error: string | null;
  row_count: number | null;
  byte_count: number | null;
  duration_ms: number;
  address: string;
  client: string | null;
  cached: Flag;
  search_text: string;
}

/** What the search of the audit trail reads first, see audit-index.ts. */
interface AuditBlockTable {
  block: number;
  min_at: number;
  max_at: number;
  signature: Uint8Array;
}

/** What runs for a while, told by the process that runs it. */
interface ExecutionTable {
  id: string;
  process: string;
  query: string;
  user_id: string;
  user_name: string;
  channel: string;
  started_at: number;
  row_count: number;
  state: string;
  cancel_wanted: Flag;
  seen_at: number;
}

/** Who does what only one process does at a time. */
interface LeaseTable {
  name: string;
  holder: string;
  until_at: number;
}

interface GuessTable {
  about: string; // a hash
  at: number;
}
