import type { ResultPage, SentParameter } from '../app/wire.ts';

/** The page on the screen, and what is known of its result. */
export interface ShownResult {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly page: ResultPage;
  readonly firstRow: number;
  readonly code: string | null; // the QueryMoreCode; null: the result has one page
  readonly totalRows: number | null; // null: not known yet
  readonly showRow: number | null; // index in the page
  readonly durationMs: number; // of the run, not of loading a later page
  readonly keptFrom: number | null; // when it ran, if it was kept over a reload
}
