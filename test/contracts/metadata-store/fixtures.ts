import { expect } from 'vitest';
import type { Role, User } from '../../../src/access/user.ts';
import type { AuditEntry } from '../../../src/audit/audit-entry.ts';
import { emptyLabels } from '../../../src/catalog/query-fields.ts';
import type { Query, QueryLabels, QueryVersion } from '../../../src/catalog/query.ts';
import type {
  ApiKey,
  DatabaseRecord,
  ListPage,
  MetadataStore,
  Session,
  StoreErrorKind,
} from '../../../src/store/metadata-store.ts';

export const now = Date.UTC(2026, 0, 31, 9, 30);
export const hour = 3_600_000;

let made = 0;
const next = () => String(++made).padStart(4, '0');

export function userNamed(username: string, changes: Partial<User> = {}): User {
  return {
    id: `user-${next()}`,
    username,
    fullName: `${username} the User`,
    email: 'someone@example.org',
    kind: 'person',
    ownerId: null,
    signing: null,
    passwordHash: '$argon2id$…',
    externalId: null,
    attributes: {},
    credentialVersion: 1,
    roleIds: [],
    databaseScope: '*',
    expiresAt: null,
    disabled: false,
    version: 1,
    createdAt: now,
    ...changes,
  };
}

export const roleNamed = (name: string, changes: Partial<Role> = {}): Role => ({
  id: `role-${next()}`,
  name,
  permissions: ['queries.run'],
  builtIn: false,
  version: 1,
  ...changes,
});

export function keyOf(userId: string, changes: Partial<ApiKey> = {}): ApiKey {
  const id = next();
  return {
    id,
    userId,
    name: `key ${id}`,
    prefix: `slc_${id}`,
    hash: `hash-${id}`,
    queries: null,
    limits: null,
    tools: 'generic',
    createdAt: now,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    ...changes,
  };
}

export const sessionOf = (userId: string, changes: Partial<Session> = {}): Session => ({
  hash: `session-${next()}`,
  userId,
  credentialVersion: 1,
  createdAt: now,
  lastUsedAt: now,
  ...changes,
});

export const databaseNamed = (name: string, changes: Partial<DatabaseRecord> = {}): DatabaseRecord => ({
  id: `database-${next()}`,
  name,
  kind: 'duckdb',
  connection: { file: 'sales.duckdb', options: { threads: 2 } },
  sealedSecrets: null,
  settings: {},
  description: '',
  disabled: false,
  writable: false,
  builtIn: false,
  version: 1,
  createdAt: now,
  deletedAt: null,
  ...changes,
});

export const labels = (changes: Partial<QueryLabels> = {}): QueryLabels => ({
  ...emptyLabels,
  aiAccess: false,
  ...changes,
});

export function versionOf(queryId: string, name: string, changes: Partial<QueryVersion> = {}): QueryVersion {
  return {
    queryId,
    version: 1,
    definition: {
      name,
      databaseId: 'database',
      sql: 'select * from sales where region = @Region',
      parameters: [{ name: '@Region', dataType: 'nvarchar(50)', required: true, values: ['North', 'South'] }],
      columns: [{ name: 'amount', type: 'numeric' }],
      timeoutSeconds: 30,
    },
    labels: labels(),
    note: '',
    resultColumns: null,
    createdAt: now,
    createdBy: 'admin',
    ...changes,
  };
}

export function queryNamed(name: string, changes: Partial<Query> = {}, labeled: Partial<QueryLabels> = {}): Query {
  const id = changes.id ?? `query-${next()}`;
  return {
    id,
    queryName: `QD_${name}_${id}`,
    nameFixed: false,
    status: 'Draft',
    current: versionOf(id, name, { labels: labels(labeled) }),
    draft: null,
    lastVersion: 1,
    revision: 1,
    createdAt: now,
    createdBy: 'admin',
    updatedAt: now,
    updatedBy: 'admin',
    ...changes,
  };
}

export const auditEntry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at: now,
  requestId: `request-${next()}`,
  userId: null,
  user: null,
  apiKey: null,
  action: 'query.execute',
  query: null,
  queryVersion: null,
  parameters: null,
  channel: 'rest',
  outcome: 'ok',
  status: 200,
  error: null,
  rows: null,
  bytes: null,
  durationMs: 12,
  address: '127.0.0.1',
  client: null,
  kind: 'person',
  viewer: null,
  application: null,
  cached: false,
  ...changes,
});

export async function addUser(store: MetadataStore, username: string, changes: Partial<User> = {}): Promise<User> {
  const user = userNamed(username, changes);
  await store.users.insert(user);
  return user;
}

export async function addRole(store: MetadataStore, name: string, changes: Partial<Role> = {}): Promise<Role> {
  const role = roleNamed(name, changes);
  await store.roles.insert(role);
  return role;
}

/** All items, read in pages. */
export async function walk<T>(list: (cursor: { cursor?: string }) => Promise<ListPage<T>>): Promise<T[]> {
  const items: T[] = [];
  let page = await list({});
  items.push(...page.items);
  while (page.nextCursor !== null) {
    page = await list({ cursor: page.nextCursor });
    items.push(...page.items);
  }
  return items;
}

export const expectKind = (kind: StoreErrorKind) => expect.objectContaining({ name: 'StoreError', kind });
