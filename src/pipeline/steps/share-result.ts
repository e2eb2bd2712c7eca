import { createHash } from 'node:crypto';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import type { SharedMark } from '../../results/storage/snapshot-storage.ts';
import type { Authorised, QueryForm } from '../authorised.ts';

/** Identical calls have the same key, and share one result for this long. */
export interface Sharing {
  readonly key: string;
  readonly maxAgeMs: number;
}

/** `name` identifies the values and may be stored. Null if every call runs the query: without `cacheSeconds`, or with an Epilogue. */
export function sharingOf({ query, database }: Authorised<QueryForm>, name: () => string): Sharing | null {
  const { cacheSeconds = 0, epilogue } = query.current.definition;
  if (cacheSeconds === 0 || epilogue !== undefined) return null;
  // rows depend on these alone: `name` includes the values that the caller's identity binds; rights are checked before on every call
  const same = [query.id, query.current.version, database.id, database.version, name()];
  const key = createHash('sha256').update(JSON.stringify(same)).digest('base64url');
  return { key, maxAgeMs: cacheSeconds * 1000 };
}

interface SharingCall<T> {
  readonly sharing: Sharing;
  readonly fresh: boolean; // runs in any case; its result is shared afterwards
  readonly signal: AbortSignal;
  /** Null if the snapshot cannot be used. */
  readonly find: (mark: SharedMark) => Promise<T | null>;
  readonly run: () => Promise<T>;
}

/** Returns the result of an identical call, or runs it. Of concurrent calls one runs, and the others wait for it. */
export type ShareResult = <T>(call: SharingCall<T>) => Promise<T>;

export function createShareResult(snapshots: Pick<Snapshots, 'findShared'>): ShareResult {
  const running = new Map<string, Promise<void>>();
  return async ({ sharing: { key, maxAgeMs }, fresh, signal, find, run }) => {
    if (fresh) return run();
    const look = async () => {
      const mark = await snapshots.findShared(key, maxAgeMs).catch(() => null); // a disk error must not fail the call
      return mark === null ? null : find(mark);
    };
    const found = await look();
    if (found !== null) return found;

    const first = running.get(key);
    if (first !== undefined) {
      await endOrAbort(first, signal);
      return (await look()) ?? run(); // without a second wait: the first call has failed, and so may the next
    }
    const done = Promise.withResolvers<void>();
    running.set(key, done.promise);
    try {
      return (await look()) ?? (await run()); // another call may have ended since
    } finally {
      running.delete(key);
      done.resolve();
    }
  };
}

function endOrAbort(first: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const leave = () => aborted.resolve();
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return Promise.race([first, aborted.promise]).finally(() => signal.removeEventListener('abort', leave));
}
