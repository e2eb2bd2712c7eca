import { setImmediate as nextTurn } from 'node:timers/promises';
import { createQuerySearch } from '../../catalog/query-search.ts';
import { queryStatuses } from '../../catalog/query.ts';
import { type QueryCatalog, type QueryFilter, type QueryListRequest, type Repositories, StoreError } from '../metadata-store.ts';
import { type CatalogEntry, compareEntries, entryOf, filterOf, positionOf, sortedBy } from './catalog-entry.ts';
import { catalogGeneration } from './catalog-generation.ts';
import { normalized } from './text.ts';

const READ_AT_ONCE = 50; // queries; reading and indexing them takes some 10 ms

type Store = Pick<Repositories, 'queries' | 'queryUses' | 'databases'>;

/**
 * Lists and searches queries in memory. Before each answer it reads the queries that changed since the one before, whichever process
 * changed them; the first time, these are all queries, in small steps. What it returns is read from the store and checked again.
 */
export function followedCatalog({ queries, queryUses, databases }: Store): QueryCatalog {
  const entries = new Map<string, CatalogEntry>();
  const byName: CatalogEntry[] = [];
  const idsByKey = new Map<string, Set<string>>(); // by the normalized technical name
  const search = createQuerySearch();
  const pending = new Set<string>();
  let mark: string | null = null;

  function remove(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    byName.splice(positionOf(entry, byName), 1);
    idsByKey.get(entry.keys[1])?.delete(id);
    search.remove(id);
  }

  async function readPending(): Promise<void> {
    while (pending.size > 0) {
      const ids = [...pending].slice(0, READ_AT_ONCE);
      const read = await queries.some(ids);
      for (const id of ids) {
        remove(id);
        pending.delete(id);
      }
      for (const query of read) {
        const entry = entryOf(query);
        entries.set(entry.id, entry);
        byName.splice(positionOf(entry, byName), 0, entry);
        idsByKey.set(entry.keys[1], (idsByKey.get(entry.keys[1]) ?? new Set()).add(entry.id));
        search.put(query);
      }
      if (pending.size > 0) await nextTurn();
    }
  }

  let updates = 0;
  const { soon: update } = catalogGeneration(async () => {
    const changes = await queries.changedSince(mark);
    for (const id of changes.ids) pending.add(id);
    mark = changes.mark;
    await readPending();
    return ++updates;
  });

  /** The favorites and uses that a filter names. */
  async function idsOf({ favoriteOf, usedBy }: QueryFilter): Promise<ReadonlySet<string> | null> {
    const favorites = favoriteOf === undefined ? null : await queryUses.favorites(favoriteOf);
    const used = usedBy === undefined ? null : await queryUses.lastUses(usedBy);
    if (favorites === null) return used === null ? null : new Set(used.keys());
    return new Set(favorites.filter((id) => used?.has(id) !== false));
  }

  async function valueOf(order: NonNullable<QueryListRequest['order']>): Promise<Parameters<typeof sortedBy>[1]> {
    switch (order.by) {
      case 'name':
        return () => 0;
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
        const runs = await queryUses.lastRuns();
        if (order.by === 'lastRun') return ({ id }) => runs.get(id);
        return ({ id, changedAt }) => Math.max(changedAt, runs.get(id) ?? 0);
      }
      case 'lastUsed': {
        const uses = await queryUses.lastUses(order.userId ?? '');
        return ({ id }) => uses.get(id);
      }
    }
  }

  /** All entries of a list in its order, and how many of them earlier pages had. */
  async function found(request: QueryListRequest, isWanted: (entry: CatalogEntry) => boolean) {
    const { order, cursor } = request;
    const ranked = request.search === undefined ? byName.filter(isWanted) : rankedFor(request.search, isWanted);
    let listed: readonly CatalogEntry[] = ranked;
    if (order !== undefined) {
      const inNameOrder = request.search === undefined ? ranked : ranked.toSorted(compareEntries);
      listed =
        order.by === 'name' && order.descending
          ? inNameOrder.toReversed()
          : sortedBy(inNameOrder, await valueOf(order), order.descending);
    }
    if (cursor === undefined) return { listed, start: 0 };
    const last = entries.get(cursor); // the cursor is the id of the last entry
    const at = listed.findIndex(({ id }) => id === cursor);
    if (at >= 0) return { listed, start: at + 1 };
    // an entry that has left the list still has a place among names
    if (last === undefined || order !== undefined || request.search !== undefined)
      throw new StoreError('bad-cursor', 'No list has issued this cursor.');
    return { listed, start: positionOf(last, listed) };
  }

  function rankedFor(text: string, isWanted: (entry: CatalogEntry) => boolean): readonly CatalogEntry[] {
    const entryFor = (id: string): CatalogEntry[] => {
      const entry = entries.get(id);
      return entry !== undefined && isWanted(entry) ? [entry] : [];
    };
    const ranked = search.rank(text, (id) => entryFor(id).length > 0).flatMap(entryFor);
    const whole = normalized(text.trim());
    const isNamed = ({ keys }: CatalogEntry): boolean => keys.includes(whole);
    return [...ranked.filter(isNamed), ...ranked.filter((entry) => !isNamed(entry))];
  }

  return {
    async list(request) {
      const isWanted = filterOf(request, await idsOf(request));
      await update();
      const { listed, start } = await found(request, isWanted);
      const page = listed.slice(start, start + request.limit);
      const read = new Map((await queries.some(page.map(({ id }) => id))).map((query) => [query.id, query]));
      const items = page.flatMap(({ id }) => read.get(id) ?? []).filter((query) => isWanted(entryOf(query)));
      return { items, nextCursor: start + request.limit < listed.length ? (page.at(-1)?.id ?? null) : null };
    },
    async names(request) {
      const isWanted = filterOf(request, await idsOf(request));
      await update();
      const { listed, start } = await found(request, isWanted);
      return listed.slice(start, start + request.limit).map(({ queryName }) => queryName);
    },
    async count(filter) {
      const isWanted = filterOf(filter, await idsOf(filter));
      await update();
      const counts = new Map<string, { status: CatalogEntry['status']; databaseId: string; count: number }>();
      for (const entry of byName) {
        if (!isWanted(entry)) continue;
        const { status, databaseId } = entry;
        const key = `${status} ${databaseId}`;
        const counted = counts.get(key);
        if (counted === undefined) counts.set(key, { status, databaseId, count: 1 });
        else counted.count += 1;
      }
      return [...counts.values()];
    },
    async byQueryNameIgnoringCase(queryName) {
      await update();
      const [only, another] = idsByKey.get(normalized(queryName)) ?? [];
      return only === undefined || another !== undefined ? null : queries.get(only);
    },
  };
}
