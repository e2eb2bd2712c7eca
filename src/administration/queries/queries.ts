import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { has, isInScope, type Principal } from '../../access/principal.ts';
import { applyEdit, editTargetVersion, noteOfNewVersion, type QueryEdit, widensAccess } from '../../catalog/lifecycle.ts';
import type { WrittenQuery } from '../../catalog/query-fields.ts';
import type { Query, QueryVersion } from '../../catalog/query.ts';
import { technicalName } from '../../catalog/technical-name.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { DatabaseRecord, ListRequest, Repositories } from '../../store/metadata-store.ts';
import type { AdministrationParts, AuditNote, IfMatch } from '../change.ts';
import { paginate } from '../paginate.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { checkEpilogue, type QueryInput, resolveQuery, unknownDatabase } from './query-definition.ts';
import { findQuery, managesQueries } from './query-rights.ts';
import { asWritten, readCatalogNames, queryView, versionView, listQueries, type QueryListFilter } from './query-view.ts';

export type QueryChange = { readonly [K in keyof QueryInput]?: QueryInput[K] | undefined };
export type ShownVersion = number | 'draft' | undefined;

export interface RestoreRequest {
  readonly version: number;
  readonly note?: string | undefined; // left out: names the restored version
}

export type Queries = ReturnType<typeof createQueries>;

export interface QueryParts extends AdministrationParts {
  readonly namePrefix: string;
  readonly flushRuns: () => Promise<void>; // records the latest runs of this process
}

export function createQueries(parts: QueryParts) {
  const { store, namePrefix, now } = parts;

  /** Finds, edits and writes in one transaction. */
  const save = (actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote, buildEdit: Edit) =>
    store.transaction(async (repositories) => {
      const found = await findQuery(repositories, actor, id, 'edit');
      if (!found.ok) return found;
      const query = found.value;
      noteQuery(note, query);
      note.parameters = { from: query.status, to: null };
      const requested = await buildEdit(query, repositories);
      if (!requested.ok) return requested;
      const { input, database: named, newVersionNote } = requested.value;
      const resolved = await resolveQuery(repositories, actor, input, named, query.draft ?? query.current);
      if (!resolved.ok) return resolved;
      const { edit, database } = resolved.value;
      if (ifMatch !== undefined && !acceptedVersions(query, edit).includes(ifMatch)) return failed({ kind: 'VersionConflict' });
      const allowed = mayEdit(actor, query, edit, database);
      if (!allowed.ok) return allowed;
      const queryName = technicalName(namePrefix, edit.definition.name, database.name);
      const moved = applyEdit(query, edit, actor.username, now(), { queryName, newVersionNote });
      if (!moved.ok) return moved;
      const after = moved.value;
      note.parameters = {
        from: query.status,
        to: after.status,
        ...noteNewDraft(query, after),
        changed: changedFields(query, after),
      };
      noteQuery(note, after);
      if (after.queryName !== query.queryName && (await repositories.queries.byQueryName(after.queryName)) !== null) {
        return failed(nameTaken(after.queryName));
      }
      if (after !== query) await repositories.queries.update(after);
      return succeeded(await buildQueryView(repositories, actor, after, after.current));
    });

  return {
    async list(actor: Principal, filter: QueryListFilter) {
      if (filter.isRecent === true || filter.sort !== undefined) await parts.flushRuns();
      return listQueries(store, actor, filter);
    },

    async get(actor: Principal, id: string, version: ShownVersion) {
      const found = await findQuery(store, actor, id);
      if (!found.ok) return found;
      const shown = await findVersion(store, found.value, version, managesQueries(actor));
      if (shown === null) return failed({ kind: 'NotFound', what: `version ${version} of this query` });
      return succeeded(await buildQueryView(store, actor, found.value, shown));
    },

    async create(actor: Principal, input: QueryInput, note: AuditNote) {
      if (!has(actor, 'queries.author')) return permissionDenied('queries.author');
      return store.transaction(async (repositories) => {
        const named = await repositories.databases.byName(input.database);
        const resolved = await resolveQuery(repositories, actor, input, named, null);
        if (!resolved.ok) return resolved;
        const { edit, database } = resolved.value;
        const queryName = technicalName(namePrefix, input.name, database.name);
        note.query = queryName;
        note.queryVersion = 1;
        note.parameters = { from: null, to: 'Draft', database: database.name };
        const allowed = checkEpilogue(actor, edit.definition, database);
        if (!allowed.ok) return allowed;
        if ((await repositories.queries.byQueryName(queryName)) !== null) return failed(nameTaken(queryName));
        const query = createQuery(randomUUID(), queryName, edit, actor.username, now());
        await repositories.queries.insert(query);
        return succeeded(await buildQueryView(repositories, actor, query, query.current));
      });
    },

    /** Returns the same as `get`: for an Active query with a draft, the Active version and the draft's number. */
    replace: (actor: Principal, id: string, input: QueryInput, ifMatch: IfMatch, note: AuditNote) =>
      save(actor, id, ifMatch, note, async (_, { databases }) =>
        succeeded({ input, database: await databases.byName(input.database) }),
      ),

    change: (actor: Principal, id: string, change: QueryChange, ifMatch: IfMatch, note: AuditNote) =>
      save(actor, id, ifMatch, note, async (query, repositories) => {
        const target = query.draft ?? query.current;
        const before = omitAccess(asWritten(target, await readCatalogNames(repositories, [target])));
        const { databases } = repositories;
        const database =
          change.database === undefined ? databases.get(target.definition.databaseId) : databases.byName(change.database);
        return succeeded({ input: { ...before, ...definedFields(change) }, database: await database });
      }),

    async versions(actor: Principal, id: string, request: ListRequest, onlyActivated = false) {
      const found = await findQuery(store, actor, id);
      if (!found.ok) return found;
      if (!managesQueries(actor)) return permissionDenied('queries.author');
      const versions = await store.queries.listVersions(id);
      const listed = (onlyActivated ? latestOfActivations(versions) : versions).map((version) => ({
        id: String(version.version),
        version,
      }));
      const page = paginate(listed, ({ version }) => version.definition.name, request);
      if (!page.ok) return page;
      const items = page.value.items.map(({ version }) => version);
      const names = await readCatalogNames(store, items);
      return succeeded({ ...page.value, items: items.map((version) => versionView(actor, found.value, version, names)) });
    },

    restoreVersion: (actor: Principal, id: string, restored: RestoreRequest, ifMatch: IfMatch, note: AuditNote) =>
      save(actor, id, ifMatch, note, async (_, repositories) => {
        const { version: number, note: versionNote } = restored;
        const version = (await repositories.queries.listVersions(id)).find((each) => each.version === number);
        if (version === undefined) return failed({ kind: 'NotFound', what: `version ${number} of this query` });
        return succeeded({
          input: { ...omitAccess(asWritten(version, await readCatalogNames(repositories, [version]))), note: versionNote },
          newVersionNote: `Restored from version ${number}`,
          // by id, because another database may have taken the name since
          database: await repositories.databases.get(version.definition.databaseId),
        });
      }),
  };
}

export function createQuery(
  id: string,
  queryName: string,
  { definition, labels, note = '' }: QueryEdit,
  by: string,
  at: number,
): Query {
  return {
    id,
    queryName,
    nameFixed: false,
    status: 'Draft',
    current: { queryId: id, version: 1, definition, labels, note, resultColumns: null, createdAt: at, createdBy: by },
    draft: null,
    lastVersion: 1,
    revision: 1,
    createdAt: at,
    createdBy: by,
    updatedAt: at,
    updatedBy: by,
  };
}

export async function buildQueryView(
  repositories: Pick<Repositories, 'databases' | 'roles' | 'queryUses'>,
  actor: Principal,
  query: Query,
  shown: QueryVersion,
) {
  const uses = await repositories.queryUses.readUses(actor.userId, [query.id]);
  return queryView(actor, query, shown, await readCatalogNames(repositories, [shown, query.current]), uses.get(query.id));
}

function noteQuery(note: AuditNote, query: Query): void {
  note.query = query.queryName;
  note.queryVersion = editTargetVersion(query);
}

/** The status of the entry does not change when a save goes to its draft. */
const noteNewDraft = (before: Query, after: Query): { readonly draft?: number } =>
  after.draft === null || after.draft.version === before.draft?.version ? {} : { draft: after.draft.version };

/** Builds the input of a save. The database is looked up separately, because its name may have passed to another one. */
type Edit = (
  query: Query,
  repositories: Repositories,
) => Promise<Result<{ readonly input: QueryInput; readonly database: DatabaseRecord | null; readonly newVersionNote?: string }>>;

const nameTaken = (queryName: string) =>
  ({ kind: 'NameTaken', reason: `Another query has the technical name ${queryName}. Choose another name.` }) as const;

/**
 * Versions accepted in If-Match: labels of an Active query change independently of its draft, so the current version is accepted
 * as well. A note belongs to the draft.
 */
function acceptedVersions(query: Query, edit: QueryEdit): readonly number[] {
  const target = query.draft ?? query.current;
  const sameNote = edit.note === undefined || edit.note === target.note;
  const onlyLabels = query.status === 'Active' && sameNote && isDeepStrictEqual(edit.definition, target.definition);
  return onlyLabels ? [target.version, query.current.version] : [target.version];
}

/**
 * Without the permission to write, the labels of a query with an Epilogue can still be edited, except to open it to AI. Labels
 * of an Active query apply without an activation, so widening access requires the permission to publish and the query's database
 * in scope. Whoever may publish decides whether changes that break callers are refused; anyone may ask for it.
 */
function mayEdit(actor: Principal, query: Query, { definition, labels }: QueryEdit, database: DatabaseRecord): Result<null> {
  const target = query.draft ?? query.current;
  const { compatibility } = query.current.labels;
  const isRelaxed = compatibility === 'enforce' && labels.compatibility !== 'enforce';
  if (query.status === 'Active' && isRelaxed && !has(actor, 'queries.publish')) return permissionDenied('queries.publish');
  if (query.status === 'Active' && widensAccess(query.current.labels, labels)) {
    if (!has(actor, 'queries.publish')) return permissionDenied('queries.publish');
    if (!isInScope(actor, query.current.definition.databaseId))
      return failed({ kind: 'FieldInvalid', problems: [unknownDatabase] });
  }
  const sameDefinition = isDeepStrictEqual(definition, target.definition);
  const opensToAi = labels.aiAccess && !target.labels.aiAccess;
  return sameDefinition && !opensToAi ? succeeded(null) : checkEpilogue(actor, definition, database);
}

async function findVersion({ queries }: Pick<Repositories, 'queries'>, query: Query, version: ShownVersion, manages: boolean) {
  if (version === undefined || version === query.current.version) return query.current;
  if (!manages) return null;
  if (version === 'draft') return query.draft;
  return (await queries.listVersions(query.id)).find((each) => each.version === version) ?? null;
}

/** The latest version of each activation. Changes of labels make another version of the same. */
const latestOfActivations = (versions: readonly QueryVersion[]): readonly QueryVersion[] =>
  versions.filter(
    ({ activation }, index) =>
      activation !== undefined && versions.findIndex((each) => each.activation?.number === activation.number) === index,
  );

/** Access and compatibility change only if a request names them; restoring a version or a partial change does not affect them. */
const omitAccess = ({ roles: _roles, aiAccess: _aiAccess, compatibility: _compatibility, ...rest }: WrittenQuery): QueryInput =>
  rest;

function changedFields(before: Query, after: Query): readonly string[] {
  const flatten = ({ draft, current }: Query): Record<string, unknown> => {
    const { definition, labels, note } = draft ?? current;
    const { databaseId: database, ...rest } = definition;
    const { roleIds: roles, ...others } = labels;
    return { ...rest, database, ...others, roles, note };
  };
  const isSameVersion = editTargetVersion(before) === editTargetVersion(after);
  const [a, b] = [isSameVersion ? flatten(before) : { ...flatten(before), note: noteOfNewVersion(before) }, flatten(after)];
  return Object.keys({ ...a, ...b }).filter((field) => !isDeepStrictEqual(a[field], b[field]));
}
