import type { Repositories } from '../metadata-store.ts';

/** Grows with every committed change of what the reads are made of; null where it cannot be told. */
export type Generation = () => number | null;

const MOST = 1000;

/**
 * The reads of the hot path, each done once for as long as nothing has changed. The generation is read from the store at every call:
 * what any process changes counts from its commit on, as if nothing were remembered. Only a key's last use, which no caller of
 * these asks for, may be older.
 */
export function rememberedReads<T extends Pick<Repositories, 'principals' | 'queries' | 'databases'>>(
  { principals, queries, databases }: T,
  generation: Generation,
): Pick<Repositories, 'principals' | 'queries' | 'databases'> {
  return {
    principals: { ...principals, byKeyHash: remembered(generation, principals.byKeyHash) },
    queries: { ...queries, byQueryName: remembered(generation, queries.byQueryName) },
    databases: { ...databases, get: remembered(generation, databases.get) },
  };
}

function remembered<T>(generation: Generation, read: (key: string) => Promise<T | null>): (key: string) => Promise<T | null> {
  let known = new Map<string, T>();
  let of: number | null = null;
  return async (key) => {
    // told before the read: what is read may be newer than it says, never older
    const now = generationIfReadable(generation);
    if (now === null) return read(key);
    if (now !== of) {
      known = new Map();
      of = now;
    }
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = await read(key);
    if (value === null || of !== now) return value;
    if (known.size >= MOST) known.clear();
    known.set(key, value);
    return value;
  };
}

/** Where the store is locked or gone, the read itself waits for it, or says so. */
function generationIfReadable(generation: Generation): number | null {
  try {
    return generation();
  } catch {
    return null;
  }
}
