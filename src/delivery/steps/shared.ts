import { createHash } from 'node:crypto';
import type { SharedMark } from '../../results/snapshot/shared-mark.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import type { Authorised, QueryForm } from '../deliver.ts';

/** What makes calls identical, and for how long they share one result. */
export interface Sharing {
  readonly key: string;
  readonly maxAgeMs: number;
}

/** `name` stands for the values, in a form that may be stored. Null where every call runs the query: it has no `cacheSeconds`, or it has an Epilogue, which is to run each time. */
export function sharingOf({ query, database }: Authorised<QueryForm>, name: () => string): Sharing | null {
  const { cacheSeconds = 0, epilogue } = query.current.definition;
  if (cacheSeconds === 0 || epilogue !== undefined) return null;
  // Rows depend on these alone. Who calls makes no difference to them: whether they may is decided before, on every call.
  const same = [query.id, query.current.version, database.id, database.version, name()];
  const key = createHash('sha256').update(JSON.stringify(same)).digest('base64url');
  return { key, maxAgeMs: cacheSeconds * 1000 };
}

interface SharingCall<T> {
  readonly sharing: Sharing;
  readonly fresh: boolean; // runs in any case, and is what others then share
  readonly signal: AbortSignal;
  /** Null where the snapshot turns out to be of no use. */
  readonly find: (mark: SharedMark) => Promise<T | null>;
  readonly run: () => Promise<T>;
}

/** Gives a call the result of an identical one, or runs it. Of those that come at once one runs, and the others wait for it. */
export type Shared = <T>(call: SharingCall<T>) => Promise<T>;

export function createShared(snapshots: Pick<Snapshots, 'shared'>): Shared {
  const running = new Map<string, Promise<void>>();
  return async ({ sharing: { key, maxAgeMs }, fresh, signal, find, run }) => {
    if (fresh) return run();
    const look = async () => {
      const mark = await snapshots.shared(key, maxAgeMs).catch(() => null); // a disk that fails costs the sharing, not the call
      return mark === null ? null : find(mark);
    };
    const found = await look();
    if (found !== null) return found;

    const first = running.get(key);
    if (first !== undefined) {
      await unlessLeft(first, signal);
      return (await look()) ?? run(); // not a second wait: the first has failed, and so may the next
    }
    const done = Promise.withResolvers<void>();
    running.set(key, done.promise);
    try {
      return (await look()) ?? (await run()); // one may have ended since
    } finally {
      running.delete(key);
      done.resolve();
    }
  };
}

function unlessLeft(first: Promise<void>, signal: AbortSignal): Promise<void> {
  const left = Promise.withResolvers<void>();
  const leave = () => left.resolve();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return Promise.race([first, left.promise]).finally(() => signal.removeEventListener('abort', leave));
}
