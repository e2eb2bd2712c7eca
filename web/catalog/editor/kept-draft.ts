import { storageKey } from '../../app/base-path.ts';
import type { QueryDraft } from './query-draft.ts';

/** Unsaved changes, kept in this browser so that a reload or the end of a session does not lose them. */
export interface KeptDraft {
  readonly version: number | null; // the version that was edited; null: a new query
  readonly draft: QueryDraft;
  readonly keptAt: string;
}

/** Whose changes, and of which query: its id, `new`, or `copy-` and the id of the original. */
export interface DraftOwner {
  readonly userId: string;
  readonly query: string;
}

const PREFIX = `${storageKey('sluice-unsaved-query')}:`;
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;

/** Returns whether it is kept: the storage may be full or forbidden. */
export function keepDraft(owner: DraftOwner, kept: Omit<KeptDraft, 'keptAt'>): boolean {
  try {
    localStorage.setItem(keyOf(owner), JSON.stringify({ ...kept, keptAt: new Date().toISOString() }));
    return true;
  } catch {
    return false;
  }
}

/** Deletes what is too old. */
export function readKeptDraft(owner: DraftOwner): KeptDraft | null {
  try {
    for (const key of listKeys()) if (isExpired(readKey(key))) localStorage.removeItem(key);
    return readKey(keyOf(owner));
  } catch {
    return null;
  }
}

export function forgetDraft(owner: DraftOwner): void {
  forgetKeys((key) => key === keyOf(owner));
}

/** When a user signs out. */
export const forgetAllDrafts = (): void => forgetKeys(() => true);

function forgetKeys(isChosen: (key: string) => boolean): void {
  try {
    for (const key of listKeys().filter(isChosen)) localStorage.removeItem(key);
  } catch {
    // nothing is stored where storage is forbidden
  }
}

const keyOf = ({ userId, query }: DraftOwner): string => `${PREFIX}${userId}:${query}`;

const listKeys = (): readonly string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

function readKey(key: string): KeptDraft | null {
  const text = localStorage.getItem(key);
  return text === null ? null : JSON.parse(text); // written by keepDraft
}

const isExpired = (kept: KeptDraft | null): boolean => kept !== null && Date.parse(kept.keptAt) < Date.now() - MAX_AGE_MS;
