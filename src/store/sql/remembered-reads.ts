import type { Repositories } from '../metadata-store.ts';

/** Grows with every committed change of what the reads are made of; null where it cannot be told. */
export interface Generation {
  /** Undefined where it has to be waited for. */
  now(): number | null | undefined;
  soon(): Promise<number | null>;
}

const MOST = 1000;

/**
 * The reads of the hot path, each done once for as long as nothing has changed. The generation is read from the store for every call:
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
  let known = new Map<string, Promise<T | null>>();
  let of: number | null = null;
  const find = (key: string, now: number | null): Promise<T | null> => {
    if (now === null) return read(key);
    if (now !== of) {
      known = new Map();
      of = now;
    }
    return known.get(key) ?? readNow(known, key, read);
  };
  return (key) => {
    // told before the read: what is read may be newer than it says, never older
    const now = generation.now();
    return now === undefined ? generation.soon().then((told) => find(key, told)) : find(key, now);
  };
}

/** Remembers what was found once it is there: neither nothing nor a failure, and nothing of a generation that has passed meanwhile. */
function readNow<T>(
  known: Map<string, Promise<T | null>>,
  key: string,
  read: (key: string) => Promise<T | null>,
): Promise<T | null> {
  const reading = read(key);
  reading.then(
    (value) => {
      if (value === null) return;
      if (known.size >= MOST) known.clear();
      known.set(key, reading);
    },
    () => undefined, // the caller gets the error
  );
  return reading;
}
