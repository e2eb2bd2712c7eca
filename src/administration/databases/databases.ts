import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { has, isInScope, type Principal } from '../../access/principal.ts';
import type { Connections, Engine, ConnectorContext } from '../../connectors/connector.ts';
import { definedFields, filledFields } from '../../core/defined-fields.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import { catchStoreErrors, transact } from '../../pipeline/steps/store-failure.ts';
import type { DatabaseRecord, DatabaseTest, ListRequest, MetadataStore, Repositories } from '../../store/metadata-store.ts';
import type { AdministrationParts, AuditNote, IfMatch } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { nameProblem } from '../name-problem.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { type ConnectionParts, resolveConnection, type StoredConnection, type DatabaseSecrets } from './database-connection.ts';

/** `connection` has the secrets, too. */
export type DatabaseInput = Pick<
  DatabaseRecord,
  'name' | 'kind' | 'connection' | 'settings' | 'description' | 'disabled' | 'writable'
>;
/** `kind` may be sent again but not changed. */
export type DatabaseReplacement = Omit<DatabaseInput, 'kind'> & { readonly kind?: string | undefined };
/** Fields of `connection` are merged; null removes a field. */
export type DatabaseChange = { readonly [K in keyof DatabaseInput]?: DatabaseInput[K] | undefined };

export type Databases = ReturnType<typeof createDatabases>;

export interface DatabaseParts extends AdministrationParts {
  readonly engines: readonly Engine[];
  readonly secrets: DatabaseSecrets;
  readonly context: ConnectorContext;
  readonly connections: Pick<Connections, 'forget'>;
}

export function createDatabases(parts: DatabaseParts) {
  const { store, connections } = parts;

  /** Reads and writes in one transaction, then closes connections that were opened with the old record. */
  async function update(
    actor: Principal,
    id: string,
    ifMatch: IfMatch,
    note: AuditNote,
    next: (database: DatabaseRecord, repositories: Repositories) => Promise<Result<DatabaseRecord>>,
  ): Promise<Result<DatabaseRecord>> {
    const result = await transact(store, nameTaken, async (repositories) => {
      const found = await findManaged(repositories, actor, id);
      if (!found.ok) return found;
      const before = found.value;
      note.parameters = { database: before.name };
      if (ifMatch !== undefined && ifMatch !== before.version) return failed({ kind: 'VersionConflict' });
      const after = await next(before, repositories);
      if (!after.ok) return after;
      note.parameters = { database: before.name, changed: changedFields(before, after.value) };
      await repositories.databases.update(after.value);
      if (connectionFields.some((field) => !isDeepStrictEqual(before[field], after.value[field]))) {
        await repositories.databases.forgetTest(id);
      }
      return after;
    });
    // do not wait for running queries
    if (result.ok) void connections.forget(id);
    return result;
  }

  const updateView = async (actor: Principal, id: string, requested: BuildReplacement, ifMatch: IfMatch, note: AuditNote) => {
    const result = await update(actor, id, ifMatch, note, async (database) => updateRecord(parts, database, requested(database)));
    return result.ok ? succeeded(managedDatabaseView(result.value, (await store.databases.readLastTests()).get(id))) : result;
  };

  return {
    list: async (actor: Principal, request: ListRequest) => succeeded(await listDatabases(store, actor, request)),
    async get(actor: Principal, id: string) {
      const database = await store.databases.get(id);
      if (database === null || !seesDatabase(actor, database)) return failed(databaseNotFound(id));
      return succeeded(databaseView(actor, database, await testsFor(store, actor)));
    },
    async create(actor: Principal, input: DatabaseInput, note: AuditNote) {
      note.parameters = { database: input.name, kind: input.kind };
      if (!managesDatabases(actor)) return permissionDenied('databases.manage');
      const created = createRecord(parts, input);
      if (!created.ok) return created;
      return catchStoreErrors(async () => {
        await store.databases.insert(created.value);
        return succeeded(managedDatabaseView(created.value, undefined));
      }, nameTaken);
    },
    replace: (actor: Principal, id: string, input: DatabaseReplacement, ifMatch: IfMatch, note: AuditNote) =>
      updateView(actor, id, () => input, ifMatch, note),
    change(actor: Principal, id: string, input: DatabaseChange, ifMatch: IfMatch, note: AuditNote) {
      const mergeInput: BuildReplacement = (database) => ({
        ...database,
        ...definedFields(input),
        connection: { ...database.connection, ...input.connection },
      });
      return updateView(actor, id, mergeInput, ifMatch, note);
    },
    async remove(actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote) {
      const result = await update(actor, id, ifMatch, note, async (database, { databases }) => {
        const active = await databases.countActiveQueries(id);
        if (active > 0) return failed({ kind: 'InUse', reason: describeUse(database.name, active) });
        return succeeded({ ...database, sealedSecrets: null, deletedAt: parts.now(), version: database.version + 1 });
      });
      return result.ok ? succeeded(null) : result;
    },
  };
}

export const managesDatabases = (actor: Principal): boolean => has(actor, 'databases.manage');

/** Visible to users who manage databases, and to users who run or write queries and have it in their scope. */
export function seesDatabase(actor: Principal, database: DatabaseRecord): boolean {
  if (database.deletedAt !== null) return false;
  return managesDatabases(actor) || (usesDatabases(actor) && isInScope(actor, database.id));
}

const usesDatabases = (actor: Principal): boolean => has(actor, 'queries.run') || has(actor, 'queries.author');

type Tests = ReadonlyMap<string, DatabaseTest>;
const testsFor = async (store: MetadataStore, actor: Principal): Promise<Tests> =>
  managesDatabases(actor) ? store.databases.readLastTests() : new Map();

/** Users who only run or write queries see neither connections nor tests. */
function databaseView(actor: Principal, database: DatabaseRecord, tests: Tests) {
  const { id, name, kind, description, version } = database;
  return managesDatabases(actor) ? managedDatabaseView(database, tests.get(id)) : { id, name, kind, description, version };
}

/** A database as shown to users who manage databases, without secrets. */
const managedDatabaseView = ({ sealedSecrets, deletedAt, ...database }: DatabaseRecord, test: DatabaseTest | undefined) => ({
  ...database,
  createdAt: isoTime(database.createdAt),
  lastTest: test === undefined ? null : testView(test),
});

const testView = ({ at, problem }: DatabaseTest) => ({
  at: isoTime(at),
  ok: problem === null,
  ...(problem === null ? {} : { message: problem }),
});

/** Not found if the actor cannot see the database; permission denied if they cannot manage it. */
export async function findManaged(
  { databases }: Pick<Repositories, 'databases'>,
  actor: Principal,
  id: string,
): Promise<Result<DatabaseRecord>> {
  const database = await databases.get(id);
  if (database === null || !seesDatabase(actor, database)) return failed(databaseNotFound(id));
  return managesDatabases(actor) ? succeeded(database) : permissionDenied('databases.manage');
}

export const storedConnection = (secrets: DatabaseSecrets, database: DatabaseRecord): StoredConnection => ({
  connection: database.connection,
  secrets: secrets.readSecrets(database) ?? {},
  settings: database.settings,
});

export const databaseNotFound = (id: string) => ({ kind: 'NotFound', what: `database with the id ${id}` }) as const;

type BuildReplacement = (database: DatabaseRecord) => DatabaseReplacement;

const nameTaken = { taken: 'Another database has this name. Choose another one; names are not case-sensitive.' };
const describeUse = (name: string, active: number): string =>
  `${active} Active ${active === 1 ? 'query uses' : 'queries use'} the database ${name}. Deactivate ${active === 1 ? 'it' : 'them'} first.`;

async function listDatabases(store: MetadataStore, actor: Principal, request: ListRequest) {
  if (!managesDatabases(actor) && !usesDatabases(actor)) return { items: [], nextCursor: null };
  const tests = await testsFor(store, actor);
  const items: ReturnType<typeof databaseView>[] = [];
  let { cursor } = request;
  do {
    const { cursor: _, ...rest } = request;
    const page = await store.databases.list({ ...rest, limit: request.limit - items.length, ...filledFields({ cursor }) });
    items.push(...page.items.filter((each) => seesDatabase(actor, each)).map((each) => databaseView(actor, each, tests)));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && items.length < request.limit);
  return { items, nextCursor: cursor ?? null };
}

function createRecord(parts: DatabaseParts, input: DatabaseInput): Result<DatabaseRecord> {
  const resolved = checkConnection(parts, input.kind, input, null);
  if (!resolved.ok) return resolved;
  const id = randomUUID();
  const { name, settings, description, disabled, writable } = input;
  return succeeded({
    ...{ id, name, kind: input.kind, settings, description, disabled, writable },
    connection: resolved.value.connection,
    sealedSecrets: parts.secrets.seal(id, resolved.value.secrets),
    builtIn: false,
    version: 1,
    createdAt: parts.now(),
    deletedAt: null,
  });
}

function updateRecord(parts: DatabaseParts, database: DatabaseRecord, requested: DatabaseReplacement): Result<DatabaseRecord> {
  if (requested.kind !== undefined && requested.kind !== database.kind) {
    return failed(
      fieldInvalid('kind', `The kind is ${database.kind} and cannot be changed. Create another database for another kind.`),
    );
  }
  const stored = storedConnection(parts.secrets, database);
  const resolved = checkConnection(parts, database.kind, requested, stored);
  if (!resolved.ok) return resolved;
  if (database.builtIn && !isDeepStrictEqual(resolved.value.connection, database.connection)) return failed(demoFileChanged);
  const sameSecrets = isDeepStrictEqual(stored.secrets, resolved.value.secrets);
  const { name, settings, description, disabled, writable } = requested;
  return succeeded({
    ...{ ...database, name, settings, description, disabled, writable },
    connection: resolved.value.connection,
    sealedSecrets: sameSecrets ? database.sealedSecrets : parts.secrets.seal(database.id, resolved.value.secrets),
    version: database.version + 1,
  });
}

const demoFileChanged = fieldInvalid(
  'connection.file',
  'The service makes the file of the demo database, and reads no other. Create another database for another file.',
);

function checkConnection(
  { engines, context }: DatabaseParts,
  kind: string,
  requested: DatabaseReplacement,
  stored: StoredConnection | null,
): Result<ConnectionParts> {
  const engine = engines.find((each) => each.kind === kind);
  if (engine === undefined) return failed(describeKinds(engines));
  // the name becomes part of technical names
  const problem =
    nameProblem(requested.name) ?? (/[\p{L}\p{Nd}]/u.test(requested.name) ? null : 'It must contain a letter or a digit.');
  return problem === null ? resolveConnection(engine, requested, stored, context) : failed(fieldInvalid('name', problem));
}

export const describeKinds = (engines: readonly Engine[]) =>
  fieldInvalid('kind', `Unknown kind of database. Use one of ${engines.map(({ kind }) => kind).join(', ')}.`);

/** A test of the connection no longer counts if one of these has changed. */
const connectionFields = ['connection', 'settings', 'sealedSecrets', 'writable', 'deletedAt'] as const;

const auditedFields = [
  'name',
  'connection',
  'settings',
  'description',
  'disabled',
  'writable',
  'deletedAt',
  'sealedSecrets',
] as const;
const changedFields = (before: DatabaseRecord, after: DatabaseRecord): readonly string[] =>
  auditedFields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
