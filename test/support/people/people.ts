import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPasswords } from '../../../src/access/password.ts';
import { administratorRole, type Permission, seedRoles } from '../../../src/access/permission.ts';
import type { Authentication, Principal } from '../../../src/access/principal.ts';
import type { DatabaseScope, User } from '../../../src/access/user.ts';
import { emptyLabels } from '../../../src/catalog/query-fields.ts';
import type { Query } from '../../../src/catalog/query.ts';
import type { Failure, Result } from '../../../src/core/errors.ts';
import type { AuditDraft } from '../../../src/pipeline/steps/audit-call.ts';
import type { DatabaseRecord, MetadataStore } from '../../../src/store/metadata-store.ts';
import { openSqliteStore } from '../../../src/store/sql/sqlite/sqlite-store.ts';

export const NOW = Date.parse('2026-11-15T10:00:00Z');
export const PASSWORD = 'correct horse battery';

/** A store with the seed roles, the databases Sales and Stock, and the administrator `admin`. */
export interface People {
  readonly store: MetadataStore;
  readonly passwords: ReturnType<typeof createPasswords>;
  add(username: string, roles: readonly string[], more?: Partial<User>): Promise<User>;
  addRole(name: string, permissions: readonly Permission[]): Promise<string>;
  addQuery(queryName: string, more?: { status?: Query['status']; databaseId?: string; roleIds?: string[] }): Promise<void>;
  as(username: string, authentication?: Authentication): Promise<Principal>;
  close(): Promise<void>;
}

let hashed: Promise<string> | null = null; // once per process, because a hash is slow

export async function openPeople(): Promise<People> {
  const folder = await mkdtemp(join(tmpdir(), 'people-'));
  const store = await openSqliteStore(join(folder, 'metadata.sqlite'));
  const passwords = createPasswords();
  const passwordHash = await (hashed ??= passwords.hash(PASSWORD));
  const people: People = {
    store,
    passwords,
    async add(username, roles, more = {}) {
      const all = await store.roles.listAll();
      const roleIds = roles.map((name) => all.find((role) => role.name === name)?.id ?? `no role ${name}`);
      const user: User = { ...createBlankUser(username), passwordHash, roleIds, ...more };
      await store.users.insert(user);
      return user;
    },
    async addRole(name, permissions) {
      const id = randomUUID();
      await store.roles.insert({ id, name, permissions, builtIn: name === administratorRole, version: 1 });
      return id;
    },
    async addQuery(queryName, more = {}) {
      await store.queries.insert(
        createQueryRecord(queryName, more.status ?? 'Active', more.databaseId ?? 'sales', more.roleIds ?? []),
      );
    },
    async as(username, authentication = { kind: 'basic' }) {
      const standing = await store.principals.byUsername(username);
      if (standing === null) throw new Error(`there is no ${username}`);
      const { user, roleNames, permissions } = standing;
      const { id: userId, fullName, email, roleIds, databaseScope, attributes, expiresAt } = user;
      const rights = { roleIds, roleNames, permissions, databaseScope, attributes, expiresAt };
      return { userId, userKind: user.kind, username: user.username, fullName, email, ...rights, authentication };
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
  for (const role of seedRoles) await people.addRole(role.name, role.permissions);
  for (const name of ['Sales', 'Stock']) await store.databases.insert(createDatabaseRecord(name));
  await people.add('admin', [administratorRole], { databaseScope: '*' });
  return people;
}

export const createNote = (): AuditDraft => ({
  action: 'test',
  principal: null,
  triedUser: null,
  query: null,
  queryVersion: null,
  parameters: null,
  rows: null,
  bytes: null,
  status: 200,
});

export function expectSuccess<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.failure)}`);
  return result.value;
}

export function failureOf(result: Result<unknown>): Failure {
  if (result.ok) throw new Error(`not refused: ${JSON.stringify(result.value)}`);
  return result.failure;
}

/** The fields that a refusal names. */
export function fieldsOf(result: Result<unknown>): string[] {
  const failure = failureOf(result);
  return failure.kind === 'FieldInvalid' || failure.kind === 'FieldUnknown'
    ? failure.problems.map((problem) => problem.field)
    : [failure.kind];
}

const createBlankUser = (username: string): User => ({
  id: randomUUID(),
  username,
  fullName: '',
  email: '',
  kind: 'person',
  ownerId: null,
  signing: null,
  passwordHash: '',
  externalId: null,
  attributes: {},
  credentialVersion: 1,
  roleIds: [],
  databaseScope: [] satisfies DatabaseScope,
  expiresAt: null,
  disabled: false,
  version: 1,
  createdAt: NOW,
});

const createDatabaseRecord = (name: string): DatabaseRecord => ({
  id: name.toLowerCase(),
  name,
  kind: 'duckdb',
  connection: {},
  sealedSecrets: null,
  settings: {},
  description: '',
  disabled: false,
  writable: false,
  builtIn: false,
  version: 1,
  createdAt: NOW,
  deletedAt: null,
});

function createQueryRecord(queryName: string, status: Query['status'], databaseId: string, roleIds: readonly string[]): Query {
  const id = randomUUID();
  const definition = { name: queryName, databaseId, sql: 'select 1', parameters: [], columns: [] };
  const labels = { ...emptyLabels, roleIds };
  const written = { createdAt: NOW, createdBy: 'admin' };
  return {
    id,
    queryName,
    nameFixed: true,
    status,
    current: { queryId: id, version: 1, definition, labels, note: '', resultColumns: null, ...written },
    draft: null,
    lastVersion: 1,
    revision: 1,
    updatedAt: NOW,
    updatedBy: 'admin',
    ...written,
  };
}
