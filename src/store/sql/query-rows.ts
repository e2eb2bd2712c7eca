import type { Insertable, Selectable } from 'kysely';
import type { Query, QueryStatus, QueryVersion } from '../../catalog/query.ts';
import { fold, searchText } from './fold.ts';
import { parsed } from './parsed-json.ts';
import { flag, type Tables } from './schema.ts';

/** A catalog entry with its current version and, where there is one, its draft. */
export type QueryRow = Selectable<Tables['queries']> & VersionColumns<'current', never> & VersionColumns<'draft', null>;

export function queryOf(row: QueryRow): Query {
  return {
    id: row.id,
    queryName: row.query_name,
    nameFixed: row.name_fixed === 1,
    status: row.status as QueryStatus, // as we wrote it
    current: versionOf({
      query_id: row.id,
      version: row.current_version,
      definition: row.current_definition,
      labels: row.current_labels,
      result_columns: row.current_result_columns,
      created_at: row.current_created_at,
      created_by: row.current_created_by,
    }),
    draft: draftOf(row),
    lastVersion: row.last_version,
    revision: row.revision,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

export const versionOf = (row: Selectable<Tables['query_versions']>): QueryVersion => ({
  queryId: row.query_id,
  version: row.version,
  definition: parsed(row.definition),
  labels: parsed(row.labels),
  resultColumns: row.result_columns === null ? null : parsed(row.result_columns),
  createdAt: row.created_at,
  createdBy: row.created_by,
});

export function entryRowOf(query: Query): Insertable<Tables['queries']> {
  const { definition, labels } = query.current;
  return {
    id: query.id,
    query_name: query.queryName,
    name_fixed: flag(query.nameFixed),
    status: query.status,
    current_version: query.current.version,
    draft_version: query.draft?.version ?? null,
    draft_status: query.draft?.status ?? null,
    last_version: query.lastVersion,
    revision: query.revision,
    created_at: query.createdAt,
    created_by: query.createdBy,
    updated_at: query.updatedAt,
    updated_by: query.updatedBy,
    name_key: fold(definition.name),
    search_text: searchText(definition.name, query.queryName, labels.description, ...labels.tags),
    database_id: definition.databaseId,
    ai_access: flag(labels.aiAccess),
  };
}

export const versionRowOf = (
  version: QueryVersion,
): Insertable<Tables['query_versions']> & { result_columns: string | null } => ({
  query_id: version.queryId,
  version: version.version,
  definition: JSON.stringify(version.definition),
  labels: JSON.stringify(version.labels),
  result_columns: version.resultColumns === null ? null : JSON.stringify(version.resultColumns),
  created_at: version.createdAt,
  created_by: version.createdBy,
});

/** Labels that lists and the role-in-use rule ask for in SQL. */
export function labelLinksOf(query: Query) {
  const rolesOf = (stage: 'current' | 'draft', roleIds: readonly string[]) =>
    [...new Set(roleIds)].map((roleId) => ({ query_id: query.id, stage, role_id: roleId }));
  return {
    roles: [...rolesOf('current', query.current.labels.roleIds), ...rolesOf('draft', query.draft?.labels.roleIds ?? [])],
    tags: [...new Set(query.current.labels.tags.map(fold))].map((tag) => ({ query_id: query.id, tag_key: tag })),
  };
}

type VersionColumns<Stage extends string, Absent> = {
  [Column in `${Stage}_definition` | `${Stage}_labels` | `${Stage}_created_by`]: string | Absent;
} & { [Column in `${Stage}_created_at`]: number | Absent } & { [Column in `${Stage}_result_columns`]: string | null };

function draftOf(row: QueryRow): Query['draft'] {
  const { draft_version, draft_definition, draft_labels, draft_created_at, draft_created_by } = row;
  if (draft_version === null || draft_definition === null || draft_labels === null) return null;
  if (draft_created_at === null || draft_created_by === null) return null;
  const version = versionOf({
    query_id: row.id,
    version: draft_version,
    definition: draft_definition,
    labels: draft_labels,
    result_columns: row.draft_result_columns,
    created_at: draft_created_at,
    created_by: draft_created_by,
  });
  return { ...version, status: row.draft_status === 'Validated' ? 'Validated' : 'Draft' };
}
