import type { Principal } from '../../access/principal.ts';
import type { ColumnDefinition, ParameterDefinition, Query, QueryStatus, QueryVersion } from '../../catalog/query.ts';
import { classifyColumns } from '../../charts/classify.ts';
import type { ColumnKind } from '../../results/column.ts';
import { labelColumns } from '../../results/labels.ts';
import type { Repositories } from '../../store/metadata-store.ts';
import { isoTime } from '../iso-time.ts';
import { type QueryRights, rightsOf } from './query-rights.ts';
import { managesQueries } from './visible-queries.ts';

/** A version with names instead of ids, and null for unset fields. */
export interface WrittenVersion {
  readonly name: string;
  readonly description: string;
  readonly tip: string;
  readonly database: string;
  readonly sql: string;
  readonly epilogue: string | null;
  readonly parameters: readonly ParameterDefinition[];
  readonly columns: readonly ColumnDefinition[];
  readonly roles: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly maxRows: number | null;
  readonly cacheSeconds: number | null;
  readonly aiAccess: boolean;
  readonly tags: readonly string[];
}

interface VersionContent extends WrittenVersion {
  readonly resultColumns: readonly ResultColumnView[] | null;
}

export interface ResultColumnView {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly kind: ColumnKind;
  readonly class: 'categorical' | 'numeric';
}

export interface QueryView extends VersionContent, QueryRights {
  readonly id: string;
  readonly queryName: string;
  readonly status: QueryStatus;
  readonly version: number;
  readonly draft: { readonly version: number; readonly status: 'Draft' | 'Validated' } | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

export interface VersionView extends VersionContent {
  readonly version: number;
  readonly status: 'current' | 'draft' | null;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** Names of the objects that queries refer to by id. */
export interface CatalogNames {
  readonly databases: ReadonlyMap<string, string>;
  readonly roles: ReadonlyMap<string, string>;
}

export async function catalogNames(
  { databases, roles }: Pick<Repositories, 'databases' | 'roles'>,
  versions: readonly QueryVersion[],
): Promise<CatalogNames> {
  const ids = [...new Set(versions.map((version) => version.definition.databaseId))];
  const found = await Promise.all(ids.map((id) => databases.get(id)));
  return {
    databases: new Map(found.filter((database) => database !== null).map(({ id, name }) => [id, name])),
    roles: new Map((await roles.all()).map(({ id, name }) => [id, name])),
  };
}

/** A caller who only runs queries does not see the draft. */
export function queryView(actor: Principal, query: Query, shown: QueryVersion, names: CatalogNames): QueryView {
  const draft = managesQueries(actor) ? query.draft : null;
  return {
    id: query.id,
    queryName: query.queryName,
    ...versionContent(shown, names),
    status: draft !== null && shown.version === draft.version ? draft.status : query.status,
    version: shown.version,
    draft: draft === null ? null : { version: draft.version, status: draft.status },
    createdBy: query.createdBy,
    createdAt: isoTime(query.createdAt),
    updatedBy: query.updatedBy,
    updatedAt: isoTime(query.updatedAt),
    ...rightsOf(actor, query),
  };
}

export function versionView(query: Query, version: QueryVersion, names: CatalogNames): VersionView {
  const { current, draft } = query;
  return {
    version: version.version,
    status: version.version === current.version ? 'current' : version.version === draft?.version ? 'draft' : null,
    createdBy: version.createdBy,
    createdAt: isoTime(version.createdAt),
    ...versionContent(version, names),
  };
}

/** A version in the form that an author would send. */
export function asWritten({ definition, labels }: QueryVersion, names: CatalogNames): WrittenVersion {
  return {
    name: definition.name,
    description: labels.description,
    tip: labels.tip,
    database: names.databases.get(definition.databaseId) ?? '',
    sql: definition.sql,
    epilogue: definition.epilogue ?? null,
    parameters: definition.parameters,
    columns: definition.columns,
    // roles named in an old version only may be deleted
    roles: labels.roleIds.flatMap((id) => names.roles.get(id) ?? []),
    timeoutSeconds: definition.timeoutSeconds ?? null,
    maxRows: definition.maxRows ?? null,
    cacheSeconds: definition.cacheSeconds ?? null,
    aiAccess: labels.aiAccess,
    tags: labels.tags,
  };
}

const versionContent = (version: QueryVersion, names: CatalogNames): VersionContent => ({
  ...asWritten(version, names),
  resultColumns: version.resultColumns && resultColumnViews(version.resultColumns, version.definition.columns),
});

const resultColumnViews = (...[columns, definitions]: Parameters<typeof labelColumns>): readonly ResultColumnView[] =>
  classifyColumns(labelColumns(columns, definitions), definitions).map(({ name, label, type, kind, class: columnClass }) => ({
    name,
    label,
    type,
    kind,
    class: columnClass,
  }));
