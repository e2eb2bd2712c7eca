import { has, type Principal } from '../../access/principal.ts';
import { activationOf } from '../../catalog/lifecycle.ts';
import { sendableParameters } from '../../catalog/parameter.ts';
import { emptyQuery, partOf, type WrittenQuery } from '../../catalog/query-fields.ts';
import type { Query, QueryVersion } from '../../catalog/query.ts';
import { classifyColumns } from '../../charts/classify.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { succeeded } from '../../core/errors.ts';
import { runRefusal } from '../../pipeline/find-query.ts';
import { labelColumns } from '../../results/columns.ts';
import type { QueryUse, Repositories, MetadataStore, QueryOrder } from '../../store/metadata-store.ts';
import { isoTime } from '../iso-time.ts';
import { managesQueries, rightsOf, type QueryListing, toVisibleRequest } from './query-rights.ts';

/** Names of the objects that queries refer to by id. */
export interface CatalogNames {
  readonly databases: ReadonlyMap<string, string>;
  readonly disabledDatabases: ReadonlySet<string>; // ids
  readonly roles: ReadonlyMap<string, string>;
}

export async function readCatalogNames(
  { databases, roles }: Pick<Repositories, 'databases' | 'roles'>,
  versions: readonly QueryVersion[],
): Promise<CatalogNames> {
  const ids = [...new Set(versions.map((version) => version.definition.databaseId))];
  const found = (await Promise.all(ids.map((id) => databases.get(id)))).filter((database) => database !== null);
  return {
    databases: new Map(found.map(({ id, name }) => [id, name])),
    disabledDatabases: new Set(found.flatMap(({ id, disabled }) => (disabled ? id : []))),
    roles: new Map((await roles.listAll()).map(({ id, name }) => [id, name])),
  };
}

export type QueryView = ReturnType<typeof queryView>;

/** A caller who only runs queries sees neither drafts and notes nor the parameters that are bound to the caller. */
export function queryView(actor: Principal, query: Query, shown: QueryVersion, names: CatalogNames, use: QueryUse | undefined) {
  const isManager = managesQueries(actor);
  const draft = isManager ? query.draft : null;
  const content = versionContent(shown, names);
  const reason = cannotRunReason(actor, query, names);
  return {
    id: query.id,
    queryName: query.queryName,
    ...(isManager ? { ...content, note: shown.note } : { ...content, parameters: sendableParameters(content.parameters) }),
    status: draft !== null && shown.version === draft.version ? draft.status : query.status,
    version: shown.version,
    activatedAs: shown.activation?.number ?? null,
    draft: draft === null ? null : { version: draft.version, status: draft.status },
    createdBy: query.createdBy,
    createdAt: isoTime(query.createdAt),
    updatedBy: query.updatedBy,
    updatedAt: isoTime(query.updatedAt),
    canRun: reason === null,
    cannotRunReason: reason,
    ...rightsOf(actor, query),
    isFavorite: use?.isFavorite ?? false,
    lastUsedAt: isoTime(use?.lastUsedAt ?? null),
    lastRunAt: isoTime(use?.lastRunAt ?? null),
  };
}

/** For a person who sees the query in the catalog. */
function cannotRunReason(actor: Principal, query: Query, names: CatalogNames): string | null {
  const { status, current } = query;
  switch (runRefusal(actor, query)) {
    case null:
      return names.disabledDatabases.has(current.definition.databaseId)
        ? 'The database of the query is disabled. Ask an administrator to enable it.'
        : null;
    case 'Active':
      return `Only Active queries can run. ${current.definition.name} is ${status}.`;
    case 'permission':
      return 'None of your roles has the permission queries.run.';
    case 'database':
      return 'The database of the query is not among your databases. Ask an administrator for access to it.';
    case 'role': {
      const roles = current.labels.roleIds.flatMap((id) => names.roles.get(id) ?? []).join(', ');
      return `The query is restricted to the roles ${roles}, and you have none of them. Ask an administrator for one, or change the roles of the query.`;
    }
    case 'key':
      return 'This API key is restricted to other queries.';
  }
}

export function versionView(actor: Principal, query: Query, version: QueryVersion, names: CatalogNames) {
  const { current, draft } = query;
  const { number = null, at = null, retiresAt = null } = version.activation ?? {};
  return {
    version: version.version,
    status:
      version.version === current.version ? ('current' as const) : version.version === draft?.version ? ('draft' as const) : null,
    createdBy: version.createdBy,
    createdAt: isoTime(version.createdAt),
    note: version.note,
    activatedAs: number,
    activatedAt: isoTime(at),
    retiresAt: isoTime(retiresAt),
    canRetire: number !== null && number !== activationOf(current).number && has(actor, 'queries.publish'),
    ...versionContent(version, names),
  };
}

/** A version in the form that an author would send. */
export function asWritten({ definition, labels }: QueryVersion, names: CatalogNames): WrittenQuery {
  return {
    ...emptyQuery,
    ...partOf('definition', definition),
    ...partOf('labels', labels),
    database: names.databases.get(definition.databaseId) ?? '',
    // roles named in an old version only may be deleted
    roles: labels.roleIds.flatMap((id) => names.roles.get(id) ?? []),
  };
}

const versionContent = (version: QueryVersion, names: CatalogNames) => ({
  ...asWritten(version, names),
  resultColumns: version.resultColumns && resultColumnViews(version.resultColumns, version.definition.columns),
});

const resultColumnViews = (...[columns, definitions]: Parameters<typeof labelColumns>) =>
  classifyColumns(labelColumns(columns, definitions), definitions).map(({ nature: _, ...shown }) => shown);

export const querySorts = ['name', 'database', 'owner', 'status', 'lastRun', 'lastUsed'] as const satisfies QueryOrder['by'][];

export interface QueryListFilter extends QueryListing {
  readonly isFavorite?: boolean | undefined;
  readonly isForAi?: boolean | undefined;
  readonly isRecent?: boolean | undefined; // used by the actor; sorted by the last use unless `sort` is set
  readonly sort?: { readonly by: (typeof querySorts)[number]; readonly descending: boolean } | undefined;
}

type Store = Pick<MetadataStore, 'catalog' | 'databases' | 'roles' | 'queryUses'>;

/** A page of the queries that the actor sees: by name, the best matches first, or sorted. */
export async function listQueries(
  store: Store,
  actor: Principal,
  { isFavorite, isForAi, isRecent, sort, ...filter }: QueryListFilter,
) {
  const visible = await toVisibleRequest(store, actor, filter);
  if (visible === null) return succeeded({ items: [], nextCursor: null });
  const { userId } = actor;
  const order = sort ?? (isRecent === true ? lastUsedFirst : undefined);
  const { items, nextCursor } = await store.catalog.list({
    ...visible,
    ...definedFields({
      aiAccess: isForAi === true ? true : undefined,
      favoriteOf: isFavorite === true ? userId : undefined,
      usedBy: isRecent === true ? userId : undefined,
      order: order && { ...order, userId },
    }),
  });
  const [ids, versions] = [items.map(({ id }) => id), items.map(({ current }) => current)];
  const names = await readCatalogNames(store, versions);
  const uses = await store.queryUses.readUses(userId, ids);
  const views = items.map((query) => queryView(actor, query, query.current, names, uses.get(query.id)));
  return succeeded({ items: views, nextCursor });
}

const lastUsedFirst = { by: 'lastUsed', descending: true } as const;
