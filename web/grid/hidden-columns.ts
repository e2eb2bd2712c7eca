import { storageKey } from '../app/base-path.ts';

const KEY = storageKey('sluice-hidden-columns');
const MAX_RESULTS = 50; // the ones changed longest ago are dropped

/** The labels of the columns that are hidden in a result; empty if nothing is stored. */
export const readHidden = (result: string): ReadonlySet<string> => new Set(readStored().find(([name]) => name === result)?.[1]);

export function storeHidden(result: string, labels: ReadonlySet<string>): void {
  const others = readStored().filter(([name]) => name !== result);
  const all: readonly Stored[] = labels.size === 0 ? others : [...others, [result, [...labels]]];
  try {
    localStorage.setItem(KEY, JSON.stringify(all.slice(-MAX_RESULTS)));
  } catch {
    // the storage is blocked or full: the choice is not kept
  }
}

type Stored = readonly [result: string, labels: readonly string[]];

function readStored(): readonly Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isStored) : [];
  } catch {
    return [];
  }
}

const isStored = (entry: unknown): entry is Stored =>
  Array.isArray(entry) && typeof entry[0] === 'string' && Array.isArray(entry[1]);
