import type { MetadataStore } from '../../metadata-store.ts';
import type { Generation } from './catalog-generation.ts';

type Remembered = Pick<MetadataStore, 'principals' | 'queries' | 'catalog' | 'databases'>;
const MAX_REMEMBERED = 1000;

/**
 * Remembers the reads of the hot path, and those that scan the catalog, until something changes. The generation is read from the store for every call, so a change by any
 * process takes effect with its commit, as if nothing were remembered. Only a key's `lastUsedAt`, which these callers do not use, may
 * be older.
 */
export function cacheReads({ principals, queries, catalog, databases }: Remembered, generation: Generation): Remembered {
  const boundSources = cacheRead(generation, () => queries.listBoundSources());
  return {
    principals: { ...principals, byKeyHash: cacheRead(generation, principals.byKeyHash) },
    queries: {
      ...queries,
      byQueryName: cacheRead(generation, queries.byQueryName),
      listBoundSources: async () => (await boundSources('all')) ?? new Set(),
    },
    catalog: { ...catalog, byQueryNameIgnoringCase: cacheRead(generation, catalog.byQueryNameIgnoringCase) },
    databases: { ...databases, get: cacheRead(generation, databases.get) },
  };
}

function cacheRead<T>(generation: Generation, read: (key: string) => Promise<T | null>): (key: string) => Promise<T | null> {
  let known = new Map<string, Promise<T | null>>();
  let knownAt: number | null = null;
  const find = (key: string, now: number | null): Promise<T | null> => {
    if (now === null) return read(key);
    if (now !== knownAt) {
      known = new Map();
      knownAt = now;
    }
    return known.get(key) ?? readNow(known, key, read);
  };
  return (key) => {
    // read before the data, which may therefore be newer than the generation, never older
    const now = generation.peek();
    return now === undefined ? generation.readNext().then((value) => find(key, value)) : find(key, now);
  };
}

/** Remembers the value when it arrives; not null, not an error, and not in the map of a later generation. */
function readNow<T>(
  known: Map<string, Promise<T | null>>,
  key: string,
  read: (key: string) => Promise<T | null>,
): Promise<T | null> {
  const reading = read(key);
  reading.then(
    (value) => {
      if (value === null) return;
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(key, reading);
    },
    () => undefined, // the caller gets the error
  );
  return reading;
}
