import { useEffect, useRef, useState } from 'react';
import type { Preview as PreviewRows, PreviewRequest } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import { isAbort, type Problem, problemOf } from '../../app/problem.ts';
import { readRows } from '../../components/run/read-rows.ts';

export interface Previewed {
  readonly rows: PreviewRows;
  readonly body: PreviewRequest; // of the request
  readonly durationMs: number;
}

export interface Preview {
  readonly startedAt: number | null; // of the current run
  /** The last rows received, shown until the next ones arrive. */
  readonly shown: Previewed | null;
  readonly run: (body: PreviewRequest) => Promise<Problem | null>; // null: it succeeded or was cancelled
  readonly cancel: () => void;
  readonly cancelledMs: number | null; // how long the last run took until it was cancelled
}

/** Runs unsaved SQL. Leaving the page or starting another run cancels the query in the database. */
export function usePreview(before: Previewed | null): Preview {
  const [startedAt, setStartedAt] = useState<number | null>(null);
  const [shown, setShown] = useState(before);
  const [cancelledMs, setCancelledMs] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (body: PreviewRequest): Promise<Problem | null> => {
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    const began = Date.now();
    setStartedAt(began);
    setCancelledMs(null);
    try {
      const rows = await call('POST /api/v1/queries/preview', { body }, { signal: own.signal, parse: readRows });
      setShown({ rows, body, durationMs: Date.now() - began });
      return null;
    } catch (error) {
      if (!isAbort(error)) return problemOf(error);
      if (controller.current === own) setCancelledMs(Date.now() - began);
      return null;
    } finally {
      if (controller.current === own) setStartedAt(null);
    }
  };
  return { startedAt, shown, cancelledMs, run, cancel: () => controller.current?.abort() };
}
