import type { QueryDraft } from './query-draft.ts';

/** What somebody had not saved when their session ended. */
export interface KeptDraft {
  readonly userId: string;
  readonly queryId: string | null; // null: a new query
  readonly version: number | null; // that it was based on
  readonly draft: QueryDraft;
}

const KEY = 'sluice-unsaved-query';

/** In this tab alone, and only until it is taken up again. */
export const keepDraft = (kept: KeptDraft): void => sessionStorage.setItem(KEY, JSON.stringify(kept));

/** For the same person on the same query; what belongs to somebody else is thrown away. */
export function takeKeptDraft(userId: string, queryId: string | null): KeptDraft | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  const kept: KeptDraft = JSON.parse(text); // written by keepDraft, nobody else
  if (kept.userId === userId && kept.queryId !== queryId) return null;
  sessionStorage.removeItem(KEY);
  return kept.userId === userId ? kept : null;
}
