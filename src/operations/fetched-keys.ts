import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ViewerTokenParts } from '../access/viewer-tokens.ts';
import { readPublicKeys } from '../access/viewer-tokens.ts';
import type { FetchDocument } from './fetch-document.ts';

const FRESH_MS = 5 * 60_000;
const PAUSE_MS = 30_000; // between requests for keys that are not known yet, or that could not be read
const MAX_STALE_MS = 3_600_000; // how long known keys are used while their address does not respond
const MAX_ADDRESSES = 1000;

interface Fetched {
  keys: readonly JWK[];
  fetchedAt: number;
  triedAt: number;
  asking: Promise<void> | null;
}

/** The public keys at addresses, each read again after some minutes. Concurrent callers share one request. */
export function createFetchedKeys(
  fetchDocument: FetchDocument,
  now: () => number,
  onFailure: (uri: string, error: unknown) => void,
): ViewerTokenParts['fetchKeys'] {
  const known = new LRUCache<string, Fetched>({ max: MAX_ADDRESSES });
  const never = Number.NEGATIVE_INFINITY;
  const ask = async (uri: string, entry: Fetched): Promise<void> => {
    entry.triedAt = now();
    try {
      entry.keys = readPublicKeys(await fetchDocument(uri));
      entry.fetchedAt = now();
    } catch (error) {
      onFailure(uri, error);
      if (now() - entry.fetchedAt > MAX_STALE_MS) entry.keys = none;
    } finally {
      entry.asking = null;
    }
  };
  return async (uri, reason) => {
    const entry = known.get(uri) ?? { keys: none, fetchedAt: never, triedAt: never, asking: null };
    known.set(uri, entry);
    const isWanted = reason === 'unknownKey' || now() - entry.fetchedAt > FRESH_MS;
    if (isWanted && now() - entry.triedAt > PAUSE_MS) entry.asking ??= ask(uri, entry);
    if (entry.asking !== null && isWanted) await entry.asking;
    return entry.keys;
  };
}

const none: readonly JWK[] = [];
