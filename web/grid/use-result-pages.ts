import { useCallback, useEffect, useRef, useState } from 'react';
import { isAbort } from '../app/problem.ts';
import { useSession } from '../app/session.tsx';
import type { Query, ResultPage, SentParameter } from '../app/wire.ts';
import { forgetKept, isKeptTooLong, keepForReload, type KeptResult, readKept } from '../components/run/kept-result.ts';
import { keepResult } from '../components/run/last-results.ts';
import { keepShown } from '../components/run/shown-result.ts';
import { type QueryRun, readPage, useRunQuery } from '../components/run/use-run-query.ts';
import type { ShownResult } from './shown-result.ts';
import { type RemainingRows, useRemainingRows } from './use-remaining-rows.ts';

const PAGE_ROWS = 1000;

export interface ResultPages {
  readonly run: QueryRun<ResultPage>;
  readonly shown: ShownResult | null;
  readonly isPaged: boolean;
  readonly pastEnd: number | null; // the requested row, if it does not exist
  /** The result from before a reload: it is being read, or the service no longer has it. */
  readonly earlier: 'loading' | 'gone' | null;
  readonly rest: RemainingRows;
  readonly start: (parameters: readonly SentParameter[]) => Promise<void>;
  /** Shows the result from before a reload again, if it is that of these values. */
  readonly restore: (parameters: readonly SentParameter[]) => void;
  readonly noteTotal: (rows: number) => void; // reported by a chart of the result
  readonly toFirst: () => void;
  readonly toPrevious: () => void;
  readonly toNext: () => void;
  readonly toRow: (row: number) => void; // from 0
}

/** The pages of a result, all from one execution. A page stays until the next one has loaded. */
export function useResultPages(query: Query): ResultPages {
  const { id: userId } = useSession().session;
  const run = useRunQuery();
  const [shown, setShown] = useState<ShownResult | null>(null);
  const [pastEnd, setPastEnd] = useState<number | null>(null);
  const { earlier, readEarlier, dropEarlier } = useEarlierResult(query, setShown);
  const rest = useRemainingRows(shown, setShown);
  const send = run.run;
  const forgetRest = rest.reset;

  const start = useCallback(
    async (parameters: readonly SentParameter[]) => {
      const { queryName } = query;
      setPastEnd(null);
      forgetRest();
      dropEarlier();
      const startedAt = Date.now();
      const page = await send({ queryName, parameters, rowSize: PAGE_ROWS });
      if (page === null) return;
      keepShown(queryName, parameters, page);
      const { QueryMoreCode: code, totalRows = null } = page;
      const durationMs = Date.now() - startedAt;
      keepResult(userId, { query, rows: page.Data, totalRows });
      // masked values are in no storage of the browser
      if (parameters.some(({ ParameterName }) => isMasked(query, ParameterName))) forgetKept();
      else
        keepForReload({
          userId,
          queryId: query.id,
          parameters,
          code,
          page: code === null ? page : null,
          durationMs,
          at: startedAt,
        });
      setShown({ queryName, parameters, page, firstRow: 0, code, totalRows, showRow: null, durationMs, keptFrom: null });
    },
    [send, query, userId, forgetRest, dropEarlier],
  );

  const turn = async (firstRow: number, rowSize: number, row: number | null = null) => {
    if (shown === null) return;
    setPastEnd(null);
    const { queryName, parameters, code } = shown;
    const page = await send({ queryName, parameters, rowIndex: firstRow, rowSize, queryMoreCode: code });
    if (page === null) return;
    const isWithin = page.Data.length > (row === null ? 0 : row - firstRow);
    if (!isWithin) return setPastEnd(row ?? firstRow);
    setShown({
      ...shown,
      page,
      firstRow,
      code: page.QueryMoreCode ?? code,
      totalRows: page.totalRows ?? shown.totalRows,
      showRow: row === null ? null : row - firstRow,
    });
  };
  const toRow = (row: number) => {
    const at = shown === null ? -1 : row - shown.firstRow;
    if (shown === null || at < 0 || at >= shown.page.Data.length) return void turn(Math.floor(row / size) * size, size, row);
    setPastEnd(null);
    setShown({ ...shown, showRow: at }); // it is loaded already
  };
  const size = Math.min(shown?.page.RowSize ?? PAGE_ROWS, PAGE_ROWS);
  const first = shown?.firstRow ?? 0;
  return {
    run,
    shown,
    isPaged: shown !== null && shown.code !== null,
    pastEnd,
    earlier,
    rest,
    start,
    restore: (parameters) => void readEarlier(readKept(userId, query.id, parameters)),
    noteTotal: useCallback(
      (rows) => setShown((before) => (before === null || before.totalRows === rows ? before : { ...before, totalRows: rows })),
      [],
    ),
    toFirst: () => void turn(0, PAGE_ROWS),
    // the previous page may be shorter than the page size
    toPrevious: () => void turn(Math.max(0, first - PAGE_ROWS), Math.min(PAGE_ROWS, first)),
    toNext: () => void turn(shown?.page.NextRowIndex ?? 0, PAGE_ROWS),
    toRow,
  };
}

const isMasked = ({ parameters }: Query, name: string): boolean =>
  parameters.some((parameter) => parameter.name === name && parameter.masked === true);

/** The result from before a reload, read again by its code: the query does not run. */
function useEarlierResult({ queryName }: Query, show: (shown: ShownResult) => void) {
  const [earlier, setEarlier] = useState<ResultPages['earlier']>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const readEarlier = async (kept: KeptResult | null) => {
    if (kept === null) return;
    const { parameters, code, durationMs } = kept;
    const isGone = isKeptTooLong(kept);
    controller.current = new AbortController();
    const request = { queryName, parameters, rowIndex: 0, rowSize: PAGE_ROWS, queryMoreCode: code };
    setEarlier(isGone ? 'gone' : 'loading');
    if (isGone) return;
    try {
      const page = code === null ? kept.page : await readPage(request, controller.current.signal);
      if (page === null) return setEarlier('gone');
      const { totalRows = null } = page;
      show({ queryName, parameters, page, firstRow: 0, code, totalRows, showRow: null, durationMs, keptFrom: kept.at });
      setEarlier(null);
    } catch (error) {
      if (!isAbort(error)) setEarlier('gone');
    }
  };
  const dropEarlier = useCallback(() => {
    controller.current?.abort();
    setEarlier(null);
  }, []);
  return { earlier, readEarlier, dropEarlier };
}
