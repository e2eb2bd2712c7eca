import { setImmediate } from 'node:timers/promises';
import type { MetadataStore } from '../../metadata-store.ts';

type CachedReads = Pick<MetadataStore, 'principals' | 'viewers' | 'queries' | 'catalog' | 'databases'>;
const MAX_CACHED = 1000;

/**
 * Caches the reads of the hot path, and those that scan the catalog, until something changes. Every call reads the generation from the
 * store, so a change by any process takes effect with its commit. Only a key's `lastUsedAt`, which these callers do not use, may be
 * stale.
 */
export function cacheReads(
  { principals, viewers, queries, catalog, databases }: CachedReads,
  generation: Generation,
): CachedReads {
  const isBlocked = cacheRead(generation, (key) =>
    viewers.isBlocked(key.split(' ', 1)[0] ?? '', key.slice(key.indexOf(' ') + 1)),
  );
  const readActivated = cacheRead(generation, (key) => {
    const [id = '', number] = key.split(' ');
    return queries.readActivated(id, Number(number));
  });
  const boundSources = cacheRead(generation, () => queries.listBoundSources());
  return {
    principals: {
      ...principals,
      byKeyHash: cacheRead(generation, principals.byKeyHash),
      byTokenHash: cacheRead(generation, principals.byTokenHash),
      byUserId: cacheRead(generation, principals.byUserId),
    },
    viewers: { ...viewers, isBlocked: async (userId, sub) => (await isBlocked(`${userId} ${sub}`)) === true },
    queries: {
      ...queries,
      byQueryName: cacheRead(generation, queries.byQueryName),
      readActivated: (id, number) => readActivated(`${id} ${number}`),
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
    return known.get(key) ?? readAndCache(known, key, read);
  };
  return (key) => {
    // the generation is read before the data, so the data may be newer than it, never older
    const now = generation.peek();
    return now === undefined ? generation.readNext().then((value) => find(key, value)) : find(key, now);
  };
}

/** Caches the value when it arrives, unless it is null or an error. `known` is the map of the generation that was read. */
function readAndCache<T>(
  known: Map<string, Promise<T | null>>,
  key: string,
  read: (key: string) => Promise<T | null>,
): Promise<T | null> {
  const reading = read(key);
  reading.then(
    (value) => {
      if (value === null) return;
      if (known.size >= MAX_CACHED) known.clear();
      known.set(key, reading);
    },
    () => undefined, // the caller gets the error
  );
  return reading;
}

/** A number that increases with every committed change to the tables of these reads; null if it cannot be determined. */
export interface Generation {
  /** Undefined if it has to be read first. */
  peek(): number | null | undefined;
  readNext(): Promise<number | null>;
}

/**
 * Reads the generation once for all calls that wait for it. A read that started before a call may miss a change committed in between,
 * so a call waits for the next read. That read starts after all events of the current turn of the event loop; one read runs at a time.
 * Its value is valid until the waiting calls next wait for I/O: only then can new calls arrive.
 */
export function createGeneration(read: () => number | null | Promise<number | null>): Generation & { forget(): void } {
  let known: number | undefined;
  let forgetCount = 0;
  let next: Promise<number | null> | undefined; // not started
  let running: Promise<number | null> | undefined;
  const forget = (): void => {
    known = undefined;
    forgetCount++;
  };

  async function readKnown(): Promise<number | null> {
    const before = forgetCount;
    const value = await read();
    if (value === null || forgetCount !== before) return value; // this process wrote in the meantime
    known = value;
    process.nextTick(forget); // from a microtask: the tick runs after everything that follows from this read without a wait
    return value;
  }

  async function readNext(): Promise<number | null> {
    try {
      if (running !== undefined) await running; // if it fails, these calls fail as well: they have already waited for the store
      await setImmediate();
    } finally {
      next = undefined;
    }
    running = readKnown();
    try {
      return await running;
    } finally {
      running = undefined;
    }
  }

  return {
    peek: () => known,
    readNext: () => (next ??= readNext()),
    forget,
  };
}
