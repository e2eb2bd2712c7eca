import type { Query, QueryStatus } from '../../catalog/query.ts';
import type { QueryFilter } from '../metadata-store.ts';
import { normalized } from './text.ts';

/** What lists filter and sort by. */
export interface CatalogEntry {
  readonly id: string;
  readonly name: string;
  readonly queryName: string;
  readonly keys: readonly [name: string, queryName: string]; // normalized
  readonly nameFixed: boolean;
  readonly status: QueryStatus;
  readonly databaseId: string;
  readonly roleIds: readonly string[];
  readonly tagKeys: readonly string[];
  readonly aiAccess: boolean;
  readonly createdBy: string;
  readonly updatedBy: string;
  readonly changedAt: number;
  readonly publishedAt: number; // or when it was changed without a new version
  readonly isUnpublished: boolean;
}

export function entryOf({ current, draft, ...query }: Query): CatalogEntry {
  const { id, queryName, nameFixed, status, createdBy, updatedBy, updatedAt } = query;
  const { definition, labels } = current;
  return {
    ...{ id, queryName, nameFixed, status, createdBy, updatedBy },
    name: definition.name,
    keys: [normalized(definition.name), normalized(queryName)],
    databaseId: definition.databaseId,
    roleIds: labels.roleIds,
    tagKeys: labels.tags.map(normalized),
    aiAccess: labels.aiAccess,
    changedAt: updatedAt,
    publishedAt: draft === null ? updatedAt : current.createdAt, // with a draft, `updatedAt` is that of the draft
    isUnpublished: draft !== null || status === 'Draft' || status === 'Validated',
  };
}

/** Whether a filter accepts an entry. `ids` are those that the favorites and uses in the filter leave. */
export function filterOf(filter: QueryFilter, ids: ReadonlySet<string> | null): (entry: CatalogEntry) => boolean {
  const { grantedToRoles, ofPerson, byOthersThan, publishedSince, isUnpublished, nameFixed, aiAccess } = filter;
  const statuses = filter.statuses && new Set(filter.statuses);
  const databaseIds = filter.databaseIds && new Set(filter.databaseIds);
  const queryNames = filter.queryNames && new Set(filter.queryNames);
  const tag = filter.tag === undefined ? undefined : normalized(filter.tag);
  return (entry) =>
    statuses?.has(entry.status) !== false &&
    databaseIds?.has(entry.databaseId) !== false &&
    queryNames?.has(entry.queryName) !== false &&
    ids?.has(entry.id) !== false &&
    (aiAccess === undefined || entry.aiAccess === aiAccess) &&
    (tag === undefined || entry.tagKeys.includes(tag)) &&
    (grantedToRoles === undefined ||
      entry.roleIds.length === 0 ||
      entry.roleIds.some((role) => grantedToRoles.includes(role))) &&
    (ofPerson === undefined || entry.createdBy === ofPerson || entry.updatedBy === ofPerson) &&
    entry.updatedBy !== byOthersThan &&
    (publishedSince === undefined || entry.publishedAt >= publishedSince) &&
    (isUnpublished === undefined || entry.isUnpublished === isUnpublished) &&
    (nameFixed === undefined || entry.nameFixed === nameFixed);
}

const collator = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/** By name, then by id. */
export const compareEntries = (one: CatalogEntry, other: CatalogEntry): number =>
  collator.compare(one.name, other.name) || (one.id < other.id ? -1 : Number(one.id > other.id));

/** How many of the entries, which are in the order of their names, come before this one. */
export function positionOf(entry: CatalogEntry, entries: readonly CatalogEntry[]): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = entries[middle];
    if (other !== undefined && compareEntries(other, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sorts entries by a value; those without one come last, and equal ones stay in their order. */
export function sortedBy(
  entries: readonly CatalogEntry[],
  valueOf: (entry: CatalogEntry) => string | number | null | undefined,
  isDescending: boolean,
): readonly CatalogEntry[] {
  const valued = entries.map((entry) => ({ entry, value: valueOf(entry) ?? null }));
  const texts = [...new Set(valued.map(({ value }) => value).filter((value) => typeof value === 'string'))];
  const ranks = new Map(texts.sort(collator.compare).map((text, rank) => [text, rank]));
  const direction = isDescending ? -1 : 1;
  return valued
    .map(({ entry, value }) => ({
      entry,
      rank: value === null ? Number.POSITIVE_INFINITY : direction * (typeof value === 'string' ? (ranks.get(value) ?? 0) : value),
    }))
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ entry }) => entry);
}
