import { storageKey } from '../../app/base-path.ts';
import type { ResultPage, SentParameter } from '../../app/wire.ts';

/** The last result of this browser tab, so that a reload shows it without running the query again. */
export interface KeptResult {
  readonly userId: string;
  readonly queryId: string;
  readonly parameters: readonly SentParameter[];
  readonly code: string | null; // the QueryMoreCode; null: `page` is the whole result
  readonly page: ResultPage | null;
  readonly durationMs: number;
  readonly at: number;
}

const KEY = storageKey('sluice-result');
const MAX_CHARACTERS = 1_000_000;
const LIFETIME_MS = 30 * 60_000; // as long as the service keeps an unused result

/** Replaces the kept result. One that is too large is not kept. */
export function keepForReload(kept: KeptResult): void {
  try {
    const text = JSON.stringify(kept);
    if (text.length <= MAX_CHARACTERS) sessionStorage.setItem(KEY, text);
    else forgetKept();
  } catch {
    // blocked or full: a reload shows no result
  }
}

/** The kept result of these values. Another user's is deleted. */
export function readKept(userId: string, queryId: string, parameters: readonly SentParameter[]): KeptResult | null {
  try {
    const text = sessionStorage.getItem(KEY);
    if (text === null) return null;
    const kept: KeptResult = JSON.parse(text); // written by keepForReload
    if (kept.userId !== userId) forgetKept();
    if (kept.userId !== userId || kept.queryId !== queryId) return null;
    return JSON.stringify(kept.parameters) === JSON.stringify(parameters) ? kept : null;
  } catch {
    return null;
  }
}

/** Without a code, nothing on the service says that the result is too old. */
export const isKeptTooLong = ({ code, at }: KeptResult): boolean => code === null && Date.now() - at > LIFETIME_MS;

export function forgetKept(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // blocked: nothing was kept
  }
}
