import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, callWithHeaders } from '../../app/api.ts';
import { interruptedProblem, isAbort, type Problem, problemOf } from '../../app/problem.ts';
import { useSession } from '../../app/session.tsx';
import type { ChartPage, ResultPage, SentParameter } from '../../app/wire.ts';
import { incompleteReason } from './incomplete-note.tsx';
import { readRows } from './read-rows.ts';

const POLL_AFTER_MS = 1000;
const POLL_EVERY_MS = 1000;

export interface RunRequest {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly rowIndex?: number | undefined;
  readonly rowSize?: number | undefined;
  readonly queryMoreCode?: string | null | undefined;
}

export interface QueryRun<Page> {
  readonly state: 'idle' | 'running' | 'done' | 'failed' | 'cancelled';
  /** The last page received. It stays while the next one loads, and if that fails. */
  readonly page: Page | null;
  readonly request: RunRequest | null; // of that page
  readonly problem: Problem | null;
  readonly startedAt: number | null; // of the current run
  readonly durationMs: number | null; // of the last run
  readonly rowsSoFar: number | null; // received from the database; known after about a second
  readonly run: (request: RunRequest) => Promise<Page | null>; // null: failed or cancelled
  /** Aborts the call; the service then cancels the query in the database. */
  readonly cancel: () => void;
  readonly reset: () => void;
  /** Takes over a page that was received elsewhere. */
  readonly adopt: (request: RunRequest, page: Page) => void;
}

/** Runs queries through JsonBuilder. */
export const useRunQuery = (): QueryRun<ResultPage> => useRun(readPage);

/** Runs queries through ChartBuilder, which also returns `Columns`. */
export const useRunChartQuery = (): QueryRun<ChartPage> => useRun(readChartPage);

type Send<Page> = (request: RunRequest, signal: AbortSignal) => Promise<Page>;

/** A page of rows. Without a code it runs the query. */
export const readPage: Send<ResultPage> = async (request, signal) =>
  pageOf(await callWithHeaders('POST /api/v1/JsonBuilder/ExecuteQuery', partsOf(request), { signal, parse: readRows }));

/** The same with `Columns`. */
export const readChartPage: Send<ChartPage> = async (request, signal) =>
  pageOf(await callWithHeaders('POST /api/v1/ChartBuilder/ExecuteQuery', partsOf(request), { signal, parse: readRows }));

interface Received<Page> {
  readonly body: Page;
  readonly headers: Headers;
}

function pageOf<Page extends Pick<ResultPage, 'NextRowIndex' | 'QueryMoreCode'>>({ body, headers }: Received<Page>) {
  const reported = headers.get('X-Result-Rows');
  const total = body.QueryMoreCode === null ? body.NextRowIndex : reported === null ? null : Number(reported);
  return { ...body, incomplete: incompleteReason(headers), totalRows: total };
}

/** The request, for `call` and for snippets. */
export const partsOf = ({ queryName, parameters, rowIndex, rowSize, queryMoreCode }: RunRequest) => ({
  headers: {
    RowIndex: rowIndex,
    RowSize: rowSize,
    QueryMoreCode: queryMoreCode ?? undefined,
  },
  body: { QueryName: queryName, Parameters: parameters },
});

const nothing = { state: 'idle', page: null, request: null, problem: null, startedAt: null, durationMs: null } as const;

type Run<Page> = Pick<QueryRun<Page>, keyof typeof nothing>;

function useRun<Page>(send: Send<Page>): QueryRun<Page> {
  const [current, setCurrent] = useState<Run<Page>>(nothing);
  const [queryName, setQueryName] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []); // leaving the page cancels the query

  const run = useCallback(
    async (request: RunRequest): Promise<Page | null> => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      const startedAt = Date.now();
      setQueryName(request.queryName);
      setCurrent((before) => ({ ...before, state: 'running', problem: null, startedAt }));
      const finish = (end: Partial<Run<Page>>): void => {
        if (controller.current !== own) return; // another run has started
        controller.current = null;
        setCurrent((before) => ({ ...before, startedAt: null, durationMs: Date.now() - startedAt, ...end }));
      };
      try {
        const page = await send(request, own.signal);
        finish({ state: 'done', page, request });
        return page;
      } catch (error) {
        finish(isAbort(error) ? { state: 'cancelled' } : { state: 'failed', problem: runProblem(error) });
        return null;
      }
    },
    [send],
  );
  const cancel = useCallback(() => controller.current?.abort(), []);
  const reset = useCallback(() => {
    controller.current?.abort();
    controller.current = null;
    setCurrent(nothing);
  }, []);
  const adopt = useCallback((request: RunRequest, page: Page) => {
    setQueryName(request.queryName);
    setCurrent({ ...nothing, state: 'done', page, request });
  }, []);
  return { ...current, rowsSoFar: useRowsSoFar(queryName, current.startedAt), run, cancel, reset, adopt };
}

/** A lost connection ends the run: there is no way to know whether the service was reached. */
function runProblem(error: unknown): Problem {
  const problem = problemOf(error);
  return problem.code === 'unreachable' ? interruptedProblem() : problem;
}

/** Polls the running queries, if the run takes longer than a second. */
export function useRowsSoFar(queryName: string | null, startedAt: number | null): number | null {
  const { session } = useSession();
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    setDue(false);
    if (startedAt === null) return;
    const timer = setTimeout(() => setDue(true), POLL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [startedAt]);
  const { data } = useQuery({
    queryKey: ['executions', 'mine', queryName, startedAt],
    queryFn: ({ signal }) => call('GET /api/v1/executions', { query: { search: queryName ?? '' } }, { signal }),
    enabled: isDue && startedAt !== null,
    refetchInterval: POLL_EVERY_MS,
    gcTime: 0,
    retry: false,
  });
  if (startedAt === null) return null;
  const mine = (data?.items ?? []).filter(
    ({ query, user, channel, state }) =>
      query === queryName && user === session.username && channel === 'ui' && state !== 'draining',
  );
  // of several, the latest
  return mine.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))[0]?.rows ?? null;
}
