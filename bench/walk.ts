import { setTimeout as sleep } from 'node:timers/promises';
import { SALES_ROWS } from './sales.ts';
import type { Sluice } from './sluice.ts';

export const ROWS = 1000; // of a page

interface Page {
  readonly rows: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly code: string | null;
  readonly ms: number;
}

/** All rows in pages of 1000, one after the other, in seconds. */
export async function walkSluice(sluice: Sluice): Promise<number> {
  const begun = performance.now();
  let rows = 0;
  let code: string | null = null;
  do {
    const page: Page = await sluicePage(sluice, code === null ? {} : { QueryMoreCode: code });
    rows += page.rows;
    code = page.code;
  } while (code !== null);
  return reportFinished('Sluice', rows, begun);
}

export async function walkBare(url: string): Promise<number> {
  const begun = performance.now();
  let rows = 0;
  for (let last = 0; ;) {
    const { rows: count, lastId } = await fetchPage(`${url}/keyset?v=${last}`, {});
    if (count === 0) return reportFinished('bare', rows, begun);
    rows += count;
    last = lastId;
  }
}

/** A snapshot of all rows that is complete: the code of its pages. */
export async function waitForSnapshot(sluice: Sluice): Promise<string> {
  const first = await sluicePage(sluice, {});
  const code = first.code ?? '';
  for (let page = first; page.firstId !== SALES_ROWS - ROWS + 1; await sleep(20)) {
    page = await sluicePage(sluice, { QueryMoreCode: code, RowIndex: String(SALES_ROWS - ROWS) }); // waits for the drain
  }
  return code;
}

/** How much slower the page at row 990,000 of a finished snapshot is than the second one: the median of each. */
export async function measureLatePage(sluice: Sluice): Promise<{ early: number; late: number }> {
  const code = await waitForSnapshot(sluice);
  const early: number[] = [];
  const late: number[] = [];
  for (let turn = 0; turn < 25; turn++) {
    early.push((await pageAt(sluice, code, ROWS)).ms);
    late.push((await pageAt(sluice, code, 990_000)).ms);
  }
  return { early: median(early), late: median(late) };
}

export async function pageAt(sluice: Sluice, code: string, rowIndex: number): Promise<Page> {
  const page = await sluicePage(sluice, { QueryMoreCode: code, RowIndex: String(rowIndex) });
  if (page.rows !== ROWS || page.firstId !== rowIndex + 1) throw new Error(`The page at ${rowIndex} is not the right one.`);
  return page;
}

const sluicePage = ({ url, key }: Sluice, headers: Readonly<Record<string, string>>): Promise<Page> =>
  fetchPage(`${url}/api/v1/JsonBuilder/ExecuteQuery`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      'Accept-Encoding': 'identity',
      RowSize: String(ROWS),
      ...headers,
    },
    body: JSON.stringify({ QueryName: 'QD_everything_Sales', Parameters: [] }),
  });

/** Only bytes are looked at, so that the client costs both sides the same little. */
async function fetchPage(url: string, init: RequestInit): Promise<Page> {
  const begun = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const ms = performance.now() - begun;
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  const ids = text.match(/"id":\d+/g) ?? [];
  const idOf = (found: string | undefined): number => Number(found?.slice(5) ?? 0);
  const code = /"QueryMoreCode":"([^"]+)"\}$/.exec(text)?.[1] ?? null;
  return { rows: ids.length, firstId: idOf(ids[0]), lastId: idOf(ids.at(-1)), code, ms };
}

function reportFinished(who: string, rows: number, begun: number): number {
  if (rows !== SALES_ROWS) throw new Error(`The walk of ${who} met ${rows} rows.`);
  return (performance.now() - begun) / 1000;
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
