import { emptyDefinition, emptyLabels } from '../../../catalog/query-fields.ts';
import type { Query, QueryVersion } from '../../../catalog/query.ts';
import { flag, type RowOf } from '../db.ts';
import { normalizeText, searchText } from '../statements/normalize-text.ts';

/** A catalog entry with its current version and, if there is one, its draft. */
export type QueryRow = RowOf<'queries'> & VersionColumns<'current', never> & VersionColumns<'draft', null>;

export function queryOf(row: QueryRow): Query {
  return {
    id: row.id,
    queryName: row.queryName,
    nameFixed: row.nameFixed === 1,
    status: row.status,
    current: versionOf({
      queryId: row.id,
      version: row.currentVersion,
      definition: row.currentDefinition,
      labels: row.currentLabels,
      note: row.currentNote,
      resultColumns: row.currentResultColumns,
      createdAt: row.currentCreatedAt,
      createdBy: row.currentCreatedBy,
    }),
    draft: draftOf(row),
    lastVersion: row.lastVersion,
    revision: row.revision,
    createdAt: row.createdAt,
    createdBy: row.createdBy,
    updatedAt: row.updatedAt,
    updatedBy: row.updatedBy,
  };
}

/** Names its columns, because a newer version of Sluice may have added some during a rolling update. An older one may have stored fewer fields. */
export const versionOf = (row: RowOf<'query_versions'>): QueryVersion => ({
  queryId: row.queryId,
  version: row.version,
  definition: { ...emptyDefinition, ...JSON.parse(row.definition) },
  labels: { ...emptyLabels, ...JSON.parse(row.labels) },
  note: row.note,
  resultColumns: row.resultColumns === null ? null : JSON.parse(row.resultColumns),
  createdAt: row.createdAt,
  createdBy: row.createdBy,
});

export function entryRowOf({ current, draft, ...query }: Query): RowOf<'queries'> {
  const { definition, labels } = current;
  return {
    ...query,
    nameFixed: flag(query.nameFixed),
    currentVersion: current.version,
    draftVersion: draft?.version ?? null,
    draftStatus: draft?.status ?? null,
    nameKey: normalizeText(definition.name),
    searchText: searchText(definition.name, query.queryName, labels.description, ...labels.tags),
    databaseId: definition.databaseId,
    aiAccess: flag(labels.aiAccess),
  };
}

export const versionRowOf = (version: QueryVersion): RowOf<'query_versions'> => ({
  queryId: version.queryId,
  version: version.version,
  definition: JSON.stringify(version.definition),
  labels: JSON.stringify(version.labels),
  note: version.note,
  resultColumns: version.resultColumns === null ? null : JSON.stringify(version.resultColumns),
  createdAt: version.createdAt,
  createdBy: version.createdBy,
});

/** Labels that lists and the role-in-use rule filter by in SQL. */
export function labelLinksOf({ id: queryId, current, draft }: Query) {
  const rolesOf = (stage: 'current' | 'draft', roleIds: readonly string[]) =>
    [...new Set(roleIds)].map((roleId) => ({ queryId, stage, roleId }));
  return {
    roles: [...rolesOf('current', current.labels.roleIds), ...rolesOf('draft', draft?.labels.roleIds ?? [])],
    tags: [...new Set(current.labels.tags.map(normalizeText))].map((tagKey) => ({ queryId, tagKey })),
  };
}

type VersionColumns<Stage extends string, Absent> = {
  [Column in `${Stage}Definition` | `${Stage}Labels` | `${Stage}Note` | `${Stage}CreatedBy`]: string | Absent;
} & { [Column in `${Stage}CreatedAt`]: number | Absent } & { [Column in `${Stage}ResultColumns`]: string | null };

function draftOf(row: QueryRow): Query['draft'] {
  const { draftVersion, draftDefinition, draftLabels, draftNote, draftCreatedAt, draftCreatedBy } = row;
  if (draftVersion === null || draftDefinition === null || draftLabels === null || draftNote === null) return null;
  if (draftCreatedAt === null || draftCreatedBy === null) return null;
  const version = versionOf({
    queryId: row.id,
    version: draftVersion,
    definition: draftDefinition,
    labels: draftLabels,
    note: draftNote,
    resultColumns: row.draftResultColumns,
    createdAt: draftCreatedAt,
    createdBy: draftCreatedBy,
  });
  return { ...version, status: row.draftStatus === 'Validated' ? 'Validated' : 'Draft' };
}
