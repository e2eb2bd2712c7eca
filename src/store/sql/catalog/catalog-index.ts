import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createQuerySearch } from '../../../catalog/query-search.ts';
import { queryStatuses } from '../../../catalog/query.ts';
import { definedFields } from '../../../core/defined-fields.ts';
import {
  type QueryCatalog,
  type QueryCount,
  type QueryFilter,
  type QueryListRequest,
  type Repositories,
  StoreError,
} from '../../metadata-store.ts';
import { normalizeText } from '../statements/normalize-text.ts';
import { createGeneration } from './cache-reads.ts';
import { type CatalogEntry, compareEntries, entryOf, filterOf, positionOf, sortEntries } from './catalog-entry.ts';

const SCORE_TOLERANCE = 1e-9; // the terms of a score are added in any order, so equal scores may differ by rounding
const MAX_CACHED_FILTERS = 50; // each holds a reference to every matching query
const READ_AT_ONCE = 25; // queries; reading and indexing them takes some 10 ms

type Store = Pick<Repositories, 'queries' | 'queryUses' | 'databases'>;

/**
 * Lists and searches queries in memory. Each call first reads the queries that any process has changed since the last
 * call; the first call reads all of them, in small steps. The results are read from the store and filtered again.
 */
export function createCatalogIndex({ queries, queryUses, databases }: Store): QueryCatalog {
  const entries = new Map<string, CatalogEntry>();
  const byName: CatalogEntry[] = [];
  const idsByKey = new Map<string, Set<string>>(); // by normalized technical name and display name
  const byFilter = new Map<string, readonly CatalogEntry[]>(); // cleared by every change
  const fingerprints = new WeakMap<readonly CatalogEntry[], string>();
  const counts = new WeakMap<readonly CatalogEntry[], readonly QueryCount[]>();
  const search = createQuerySearch();
  const pending = new Set<string>();
  let mark: string | null = null;

  function remove(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    byName.splice(positionOf(entry, byName), 1);
    for (const key of entry.keys) {
      idsByKey.get(key)?.delete(id);
      if (idsByKey.get(key)?.size === 0) idsByKey.delete(key);
    }
    search.remove(id);
  }

  async function readPending(): Promise<void> {
    while (pending.size > 0) {
      const ids = [...pending].slice(0, READ_AT_ONCE);
      const read = await queries.getMany(ids);
      byFilter.clear();
      for (const id of ids) {
        remove(id);
        pending.delete(id);
      }
      for (const query of read) {
        const entry = entryOf(query);
        entries.set(entry.id, entry);
        byName.splice(positionOf(entry, byName), 0, entry);
        for (const key of entry.keys) idsByKey.set(key, (idsByKey.get(key) ?? new Set()).add(entry.id));
        search.put(query);
      }
      if (pending.size > 0) await nextTurn();
    }
  }

  /** Concurrent callers share one update. */
  const { readNext: update } = createGeneration(async () => {
    const changes = await queries.listChangedSince(mark);
    for (const id of changes.ids) pending.add(id);
    mark = changes.mark;
    await readPending();
    return null;
  });

  /** Updates the index and returns the predicate of a filter. */
  async function buildFilter({ favoriteOf, usedBy, ...rest }: QueryFilter): Promise<(entry: CatalogEntry) => boolean> {
    const favorites = favoriteOf === undefined ? undefined : new Set(await queryUses.favorites(favoriteOf));
    const used = usedBy === undefined ? undefined : await queryUses.readLastUses(usedBy);
    await update();
    const isAccepted = filterOf(rest);
    return (entry) => favorites?.has(entry.id) !== false && used?.has(entry.id) !== false && isAccepted(entry);
  }

  /** The entries that match a filter, sorted by name. */
  async function filterEntries({ favoriteOf, usedBy, publishedSince, ...rights }: QueryFilter): Promise<readonly CatalogEntry[]> {
    const isAccepted = await buildFilter(definedFields({ favoriteOf, usedBy, publishedSince }));
    // calls of the same user repeat the same rights
    const key = JSON.stringify(rights);
    let found = byFilter.get(key);
    if (found === undefined) {
      found = byName.filter(filterOf(rights));
      if (byFilter.size >= MAX_CACHED_FILTERS) byFilter.clear();
      byFilter.set(key, found);
    }
    return (favoriteOf ?? usedBy ?? publishedSince) ? found.filter(isAccepted) : found;
  }

  async function readSortValue(order: NonNullable<QueryListRequest['order']>): Promise<Parameters<typeof sortEntries>[1]> {
    switch (order.by) {
      case 'name':
        return ({ name }) => name;
      case 'database': {
        const ids = new Set(byName.map(({ databaseId }) => databaseId));
        const found = await Promise.all([...ids].map((id) => databases.get(id)));
        const names = new Map(found.map((each) => [each?.id, each?.name]));
        return ({ databaseId }) => names.get(databaseId);
      }
      case 'owner':
        return ({ createdBy }) => createdBy;
      case 'status':
        return ({ status }) => queryStatuses.indexOf(status);
      case 'changed':
        return ({ changedAt }) => changedAt;
      case 'published':
        return ({ publishedAt }) => publishedAt;
      case 'lastRun':
      case 'active': {
        const runs = await queryUses.readLastRuns();
        if (order.by === 'lastRun') return ({ id }) => runs.get(id);
        return ({ id, changedAt }) => Math.max(changedAt, runs.get(id) ?? 0);
      }
      case 'runs': {
        const counts = await queryUses.readRunCounts();
        return ({ id }) => counts.get(id);
      }
      case 'lastUsed': {
        const uses = await queryUses.readLastUses(order.userId ?? '');
        return ({ id }) => uses.get(id);
      }
    }
  }

  /** Entries of a list from the cursor on, at least one more than the limit if there are as many. */
  async function findEntries({
    search: text,
    order,
    cursor,
    limit,
    ...filter
  }: QueryListRequest): Promise<readonly CatalogEntry[]> {
    let listed = text === undefined ? await filterEntries(filter) : rankEntries(text, await buildFilter(filter));
    const last = cursor === undefined ? undefined : entries.get(cursor); // the cursor is the id of the last entry
    if (cursor !== undefined && last === undefined) throw badCursorError();
    if (order !== undefined) {
      if (text !== undefined) listed = listed.toSorted(compareEntries);
      const { by, descending: isDescending } = order;
      const most = last === undefined ? limit + 1 : Number.POSITIVE_INFINITY;
      if (by !== 'name') listed = sortEntries(listed, await readSortValue(order), { isDescending, most });
      else if (isDescending) listed = listed.toReversed();
    }
    if (last === undefined) return listed;
    const at = listed.indexOf(last);
    if (at >= 0) return listed.slice(at + 1);
    // the list no longer contains the entry; in a list by name, its position follows from its name
    if (order !== undefined || text !== undefined) throw badCursorError();
    return listed.slice(positionOf(last, listed));
  }

  /** Entries whose name equals the text come first. */
  function rankEntries(text: string, isAccepted: (entry: CatalogEntry) => boolean): readonly CatalogEntry[] {
    const isWanted = (id: string): boolean => {
      const entry = entries.get(id);
      return entry !== undefined && isAccepted(entry);
    };
    const named = [...(idsByKey.get(normalizeText(text.trim())) ?? [])].filter(isWanted);
    const matches = search
      .rank(text, isWanted)
      .flatMap(({ id, score }) => {
        const entry = entries.get(id);
        return entry === undefined ? [] : [{ entry, score }];
      })
      .sort((a, b) => (Math.abs(a.score - b.score) > SCORE_TOLERANCE ? b.score - a.score : byKey(a.entry, b.entry)));
    return [...new Set([...named.flatMap((id) => entries.get(id) ?? []), ...matches.map(({ entry }) => entry)])];
  }

  return {
    async list(request) {
      const { limit, search: _text, order: _order, cursor: _cursor, favoriteOf: _favorites, usedBy: _uses, ...rights } = request;
      const listed = await findEntries(request);
      const page = listed.slice(0, limit);
      const read = new Map((await queries.getMany(page.map(({ id }) => id))).map((query) => [query.id, query]));
      const isStillWanted = filterOf(rights);
      const items = page.flatMap(({ id }) => read.get(id) ?? []).filter((query) => isStillWanted(entryOf(query)));
      return { items, nextCursor: listed.length > limit ? (page.at(-1)?.id ?? null) : null };
    },
    async names(request) {
      return (await findEntries(request)).slice(0, request.limit).map(({ queryName }) => queryName);
    },
    async count(filter) {
      const listed = await filterEntries(filter);
      const known = counts.get(listed) ?? countEntries(listed);
      counts.set(listed, known);
      return known;
    },
    async fingerprint(filter) {
      const listed = await filterEntries(filter);
      const known = fingerprints.get(listed) ?? hashEntries(listed);
      fingerprints.set(listed, known);
      return known;
    },
    async byQueryNameIgnoringCase(queryName) {
      await update();
      const key = normalizeText(queryName);
      const [only, another] = [...(idsByKey.get(key) ?? [])].filter((id) => entries.get(id)?.keys[1] === key);
      return only === undefined || another !== undefined ? null : queries.get(only);
    },
  };
}

/** Cheaper than `compareEntries`: a common word has many matches with equal scores. */
const byKey = ({ keys: [one] }: CatalogEntry, { keys: [other] }: CatalogEntry): number =>
  one < other ? -1 : Number(one > other);

function hashEntries(entries: readonly CatalogEntry[]): string {
  const hash = createHash('sha256');
  for (const { id, revision } of entries) hash.update(`${id} ${revision}\n`);
  return hash.digest('base64url');
}

function countEntries(entries: readonly CatalogEntry[]): readonly QueryCount[] {
  const counts = new Map<string, QueryCount & { count: number; unpublished: number }>();
  for (const { status, databaseId, isUnpublished } of entries) {
    const key = `${status} ${databaseId}`;
    const counted = counts.get(key) ?? { status, databaseId, count: 0, unpublished: 0 };
    counts.set(key, counted);
    counted.count += 1;
    if (isUnpublished) counted.unpublished += 1;
  }
  return [...counts.values()];
}

const badCursorError = (): StoreError => new StoreError('bad-cursor', 'No list has issued this cursor.');
