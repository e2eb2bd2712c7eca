import { useCallback, useState } from 'react';
import { useSession } from '../app/session.tsx';
import type { Query, ResultPage, SentParameter } from '../app/wire.ts';
import { keepResult } from '../components/run/last-results.ts';
import { keepShown } from '../components/run/shown-result.ts';
import { type QueryRun, useRunQuery } from '../components/run/use-run-query.ts';

const PAGE_ROWS = 1000;

interface Shown {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly page: ResultPage;
  readonly firstRow: number;
  readonly code: string | null; // the QueryMoreCode; null: the result has one page
  readonly totalRows: number | null; // known once the last page was loaded
  readonly showRow: number | null; // index in the page
  readonly durationMs: number; // of the run, not of loading a later page
}

export interface ResultPages {
  readonly run: QueryRun<ResultPage>;
  readonly shown: Shown | null;
  readonly isPaged: boolean;
  readonly pastEnd: number | null; // the requested row, if it does not exist
  readonly start: (parameters: readonly SentParameter[]) => Promise<void>;
  readonly toFirst: () => void;
  readonly toPrevious: () => void;
  readonly toNext: () => void;
  readonly toRow: (row: number) => void; // from 0
}

/** The pages of a result, all from one execution. A page stays until the next one has loaded. */
export function useResultPages(query: Query): ResultPages {
  const { id: userId } = useSession().session;
  const run = useRunQuery();
  const [shown, setShown] = useState<Shown | null>(null);
  const [pastEnd, setPastEnd] = useState<number | null>(null);
  const send = run.run;

  const start = useCallback(
    async (parameters: readonly SentParameter[]) => {
      const { queryName } = query;
      setPastEnd(null);
      const startedAt = Date.now();
      const page = await send({ queryName, parameters, rowSize: PAGE_ROWS });
      if (page === null) return;
      keepShown(queryName, parameters, page);
      const { QueryMoreCode: code, NextRowIndex } = page;
      const totalRows = code === null ? NextRowIndex : null;
      keepResult(userId, { query, rows: page.Data, totalRows });
      setShown({ queryName, parameters, page, firstRow: 0, code, totalRows, showRow: null, durationMs: Date.now() - startedAt });
    },
    [send, query, userId],
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
      totalRows: page.QueryMoreCode === null ? page.NextRowIndex : shown.totalRows,
      showRow: row === null ? null : row - firstRow,
    });
  };
  const size = shown?.page.RowSize ?? PAGE_ROWS;
  const first = shown?.firstRow ?? 0;
  return {
    run,
    shown,
    isPaged: shown !== null && shown.code !== null,
    pastEnd,
    start,
    toFirst: () => void turn(0, PAGE_ROWS),
    // the previous page may be shorter than the page size
    toPrevious: () => void turn(Math.max(0, first - PAGE_ROWS), Math.min(PAGE_ROWS, first)),
    toNext: () => void turn(shown?.page.NextRowIndex ?? 0, PAGE_ROWS),
    toRow: (row) => void turn(Math.floor(row / size) * size, size, row),
  };
}
