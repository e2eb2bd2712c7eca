import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort, type Problem, problemOf } from '../app/problem.ts';
import { readPage } from '../components/run/use-run-query.ts';
import { loadRest, MAX_LOADED } from './load-rest.ts';
import type { ShownResult } from './shown-result.ts';

/** The rows of the result that are not loaded. Sorting and filtering load them first. */
export interface RemainingRows {
  /** `stopped`: cancelled or failed; sorting does not load them again by itself. `too many`: they are not loaded. */
  readonly state: 'none' | 'unloaded' | 'loading' | 'stopped' | 'too many';
  readonly loaded: number; // so far
  readonly total: number | null; // null: not known yet
  readonly problem: Problem | null;
  readonly load: () => void;
  readonly cancel: () => void;
  readonly reset: () => void;
}

interface Progress {
  readonly state: 'loading' | 'stopped' | null; // null: not requested
  readonly loaded: number;
  readonly total: number | null;
  readonly problem: Problem | null;
}

const STEP = 10_000; // rows of a page, or as many as the service allows
const REPORT_EVERY_MS = 150;
const untouched: Progress = { state: null, loaded: 0, total: null, problem: null };

export function useRemainingRows(shown: ShownResult | null, show: (shown: ShownResult) => void): RemainingRows {
  const [progress, setProgress] = useState(untouched);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const cancel = useCallback(() => controller.current?.abort(), []);
  const reset = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setProgress(untouched);
  }, []);

  const load = async () => {
    if (shown === null || progress.state === 'loading') return;
    const own = new AbortController();
    controller.current = own;
    const finish = (end: Partial<Progress>) =>
      controller.current === own && setProgress((before) => ({ ...before, state: null, ...end }));
    const { queryName, parameters, code, page, firstRow } = shown;
    const start = firstRow === 0 ? page.Data : [];
    setProgress({ ...untouched, state: 'loading', loaded: start.length });
    let reportedAt = 0;
    try {
      const { rows, last, isWhole } = await loadRest(
        start,
        (rowIndex) => readPage({ queryName, parameters, rowIndex, rowSize: STEP, queryMoreCode: code }, own.signal),
        (loaded, total) => {
          if (Date.now() - reportedAt < REPORT_EVERY_MS) return;
          reportedAt = Date.now();
          setProgress((before) => ({ ...before, loaded, total }));
        },
      );
      if (controller.current !== own) return;
      show({
        ...shown,
        page: { ...last, Data: [...rows], NextRowIndex: rows.length, RowSize: rows.length },
        firstRow: 0,
        totalRows: isWhole ? rows.length : (last.totalRows ?? null),
        showRow: null,
      });
      finish({});
    } catch (error) {
      finish({ state: 'stopped', problem: isAbort(error) ? null : problemOf(error) });
    }
  };
  return { ...progress, state: stateOf(shown, progress), load: () => void load(), cancel, reset };
}

function stateOf(shown: ShownResult | null, { state }: Progress): RemainingRows['state'] {
  if (shown === null || shown.code === null) return 'none';
  const { totalRows, page } = shown;
  if (totalRows !== null && page.Data.length >= totalRows) return 'none';
  if (page.Data.length >= MAX_LOADED || (totalRows ?? 0) > MAX_LOADED) return 'too many';
  return state ?? 'unloaded';
}
