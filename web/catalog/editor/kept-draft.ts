import { storageKey } from '../../app/base-path.ts';
import type { QueryDraft } from './query-draft.ts';

/** Unsaved changes, kept when a session ends. */
export interface KeptDraft {
  readonly userId: string;
  readonly queryId: string | null; // null: a new query
  readonly version: number | null; // the version that was edited
  readonly draft: QueryDraft;
}

const KEY = storageKey('sluice-unsaved-query');

/** Kept in this browser tab until it is restored. */
export const keepDraft = (kept: KeptDraft): void => sessionStorage.setItem(KEY, JSON.stringify(kept));

/** Restores the draft for the same user and query; another user's draft is deleted. */
export function takeKeptDraft(userId: string, queryId: string | null): KeptDraft | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const kept: KeptDraft = JSON.parse(text); // written by keepDraft
  if (kept.userId === userId && kept.queryId !== queryId) return null;
  sessionStorage.removeItem(KEY);
  return kept.userId === userId ? kept : null;
}
