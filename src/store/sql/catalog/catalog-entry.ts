import type { Query } from '../../../catalog/query.ts';
import type { QueryFilter } from '../../metadata-store.ts';
import { normalizeText } from '../statements/normalize-text.ts';

/** The fields by which lists are filtered and sorted. */
export interface CatalogEntry extends Pick<
  Query,
  'id' | 'queryName' | 'nameFixed' | 'status' | 'revision' | 'createdBy' | 'updatedBy'
> {
  readonly name: string;
  readonly keys: readonly [name: string, queryName: string]; // normalized
  readonly databaseId: string;
  readonly roleIds: readonly string[];
  readonly tagKeys: readonly string[];
  readonly aiAccess: boolean;
  readonly changedAt: number;
  readonly publishedAt: number; // or when it was changed without a new version
  readonly isUnpublished: boolean;
  readonly choicesFrom: readonly string[]; // technical names, also of the draft
}

export function entryOf({ current, draft, ...query }: Query): CatalogEntry {
  const { id, queryName, nameFixed, status, createdBy, updatedBy, updatedAt, revision } = query;
  const { definition, labels } = current;
  return {
    ...{ id, queryName, nameFixed, status, createdBy, updatedBy, revision },
    name: definition.name,
    keys: [normalizeText(definition.name), normalizeText(queryName)],
    databaseId: definition.databaseId,
    roleIds: labels.roleIds,
    tagKeys: labels.tags.map(normalizeText),
    aiAccess: labels.aiAccess,
    changedAt: updatedAt,
    publishedAt: draft === null ? updatedAt : current.createdAt, // with a draft, `updatedAt` is that of the draft
    choicesFrom: [current, draft].flatMap(
      (version) => version?.definition.parameters.flatMap(({ choices }) => choices?.query ?? []) ?? [],
    ),
    isUnpublished: draft !== null || status === 'Draft' || status === 'Validated',
  };
}

/** Whether a filter accepts an entry. */
export function filterOf(filter: Omit<QueryFilter, 'favoriteOf' | 'usedBy'>): (entry: CatalogEntry) => boolean {
  const { grantedToRoles, ofPerson, byOthersThan, publishedSince, isUnpublished, nameFixed, aiAccess, choicesFrom } = filter;
  const statuses = filter.statuses && new Set(filter.statuses);
  const databaseIds = filter.databaseIds && new Set(filter.databaseIds);
  const queryNames = filter.queryNames && new Set(filter.queryNames);
  const tag = filter.tag === undefined ? undefined : normalizeText(filter.tag);
  return (entry) =>
    statuses?.has(entry.status) !== false &&
    databaseIds?.has(entry.databaseId) !== false &&
    queryNames?.has(entry.queryName) !== false &&
    (aiAccess === undefined || entry.aiAccess === aiAccess) &&
    (tag === undefined || entry.tagKeys.includes(tag)) &&
    (grantedToRoles === undefined || entry.roleIds.length === 0 || entry.roleIds.some((role) => grantedToRoles.includes(role))) &&
    (ofPerson === undefined || entry.createdBy === ofPerson || entry.updatedBy === ofPerson) &&
    entry.updatedBy !== byOthersThan &&
    (publishedSince === undefined || entry.publishedAt >= publishedSince) &&
    (isUnpublished === undefined || entry.isUnpublished === isUnpublished) &&
    (nameFixed === undefined || entry.nameFixed === nameFixed) &&
    (choicesFrom === undefined || entry.choicesFrom.includes(choicesFrom));
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

/** Sorts entries by a value; those without one come last, and equal ones stay in their order. At least the first `most` are returned. */
export function sortEntries(
  entries: readonly CatalogEntry[],
  valueOf: (entry: CatalogEntry) => string | number | null | undefined,
  { isDescending, most }: { readonly isDescending: boolean; readonly most: number },
): readonly CatalogEntry[] {
  const values = entries.map((entry) => valueOf(entry) ?? null);
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  const places = new Map(texts.sort(collator.compare).map((text, place) => [text, place]));
  const direction = isDescending ? -1 : 1;
  const rankOf = (value: string | number | null): number =>
    value === null ? Number.POSITIVE_INFINITY : direction * (typeof value === 'string' ? (places.get(value) ?? 0) : value);
  const ranks = Float64Array.from(values, rankOf);
  // numbers are sorted much faster than entries
  const last = most < entries.length ? (ranks.toSorted()[most - 1] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return entries
    .map((entry, index) => ({ entry, rank: ranks[index] ?? 0 }))
    .filter(({ rank }) => rank <= last)
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ entry }) => entry);
}
