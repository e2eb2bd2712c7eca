import { useEffect, useRef, useState } from 'react';
import { type ResponseOf, type Body, call } from '../../app/api.ts';
import { isAbort, problemOf } from '../../app/problem.ts';
import { readRows } from '../../components/run/read-rows.ts';

type PreviewBody = Body<'POST /api/v1/queries/preview'>;
type PreviewRows = ResponseOf<'POST /api/v1/queries/preview'>;

export interface Previewed {
  readonly rows: PreviewRows;
  readonly body: PreviewBody; // that asked for them
  readonly durationMs: number;
}

export interface Preview {
  readonly startedAt: number | null; // of the run that is under way
  /** The last rows that came; they stay while others are on their way. */
  readonly shown: Previewed | null;
  readonly run: (body: PreviewBody) => Promise<unknown>; // what went wrong, else null
  readonly cancel: () => void;
  readonly cancelledMs: number | null; // how long the last one had run, where it was cancelled
}

/** Runs SQL that is not saved. Leaving the page, or a newer run, cancels it in its database. */
export function usePreview(before: Previewed | null): Preview {
  const [startedAt, setStartedAt] = useState<number | null>(null);
  const [shown, setShown] = useState(before);
  const [cancelledMs, setCancelledMs] = useState<number | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (body: PreviewBody): Promise<unknown> => {
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
